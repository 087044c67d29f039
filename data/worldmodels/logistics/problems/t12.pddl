(define (problem logistics-t12)
  (:domain logistics-by-hand)
  (:objects
    paris rome - city
    cdg louvre bastille fco forum trevi - location
    truck-p truck-r - truck
    jet - plane
    letter box - package)
  (:init
    (in-city cdg paris) (in-city louvre paris) (in-city bastille paris) (in-city fco rome) (in-city forum rome)
    (in-city trevi rome) (airport cdg) (airport fco) (truck-at truck-p cdg) (truck-at truck-r fco)
    (plane-at jet fco) (package-at letter cdg) (package-at box cdg))
  (:goal (and (package-at letter forum) (package-at box trevi))))
