(define (problem logistics-t11)
  (:domain logistics-by-hand)
  (:objects
    paris rome - city
    cdg louvre bastille fco forum trevi - location
    truck-p truck-r - truck
    jet - plane
    letter - package)
  (:init
    (in-city cdg paris) (in-city louvre paris) (in-city bastille paris) (in-city fco rome) (in-city forum rome)
    (in-city trevi rome) (airport cdg) (airport fco) (truck-at truck-p bastille) (truck-at truck-r trevi)
    (plane-at jet fco) (package-at letter louvre))
  (:goal (package-at letter forum)))
