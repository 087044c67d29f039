(define (problem logistics-t06)
  (:domain logistics-by-hand)
  (:objects
    paris - city
    cdg louvre bastille - location
    truck-p - truck
    letter box - package)
  (:init
    (in-city cdg paris) (in-city louvre paris) (in-city bastille paris) (airport cdg) (truck-at truck-p louvre)
    (package-at letter louvre) (package-at box bastille))
  (:goal (and (package-at letter bastille) (package-at box louvre))))
