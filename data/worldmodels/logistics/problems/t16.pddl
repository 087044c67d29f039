(define (problem logistics-t16)
  (:domain logistics-by-hand)
  (:objects
    paris rome oslo - city
    cdg louvre bastille fco forum trevi gardermoen opera - location
    truck-p truck-r truck-o - truck
    jet - plane
    letter box - package)
  (:init
    (in-city cdg paris) (in-city louvre paris) (in-city bastille paris) (in-city fco rome) (in-city forum rome)
    (in-city trevi rome) (in-city gardermoen oslo) (in-city opera oslo) (airport cdg) (airport fco)
    (airport gardermoen) (truck-at truck-p cdg) (truck-at truck-r fco) (truck-at truck-o gardermoen)
    (plane-at jet cdg) (package-at letter louvre) (package-at box cdg))
  (:goal (and (package-at letter forum) (package-at box opera))))
