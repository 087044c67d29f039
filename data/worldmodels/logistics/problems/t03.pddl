(define (problem logistics-t03)
  (:domain logistics-by-hand)
  (:objects
    paris - city
    cdg louvre bastille - location
    truck-p - truck
    letter - package)
  (:init
    (in-city cdg paris) (in-city louvre paris) (in-city bastille paris) (airport cdg) (truck-at truck-p cdg)
    (package-at letter louvre))
  (:goal (package-at letter bastille)))
