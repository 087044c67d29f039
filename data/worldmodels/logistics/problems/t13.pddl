(define (problem logistics-t13)
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
    (plane-at jet fco) (package-at letter louvre) (package-at box bastille))
  (:goal (and (package-at letter fco) (package-at box fco))))
