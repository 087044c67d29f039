(define (problem logistics-t15)
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
    (plane-at jet cdg) (package-at letter louvre) (package-at box forum))
  (:goal (and (package-at letter forum) (package-at box cdg))))
