(define (problem logistics-t05)
  (:domain logistics-by-hand)
  (:objects
    paris - city
    cdg louvre bastille - location
    truck-p - truck
    letter box - package)
  (:init
    (in-city cdg paris) (in-city louvre paris) (in-city bastille paris) (airport cdg) (truck-at truck-p cdg)
    (package-at letter louvre) (package-at box cdg))
  (:goal (and (package-at letter bastille) (package-at box bastille))))
