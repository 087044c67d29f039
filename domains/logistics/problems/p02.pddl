; Two parcels cross between two cities in opposite directions; no vehicle stands where it is needed first.
(define (problem logistics-crossing-parcels)
  (:domain logistics)

  (:objects
    east west - city
    east-airport west-airport - airport
    mill farm yard - location
    t1 t2 - truck
    plane - airplane
    p1 p2 - package
  )

  (:init
    (in-city mill east)
    (in-city farm east)
    (in-city east-airport east)
    (in-city yard west)
    (in-city west-airport west)
    (at t1 farm)
    (at t2 west-airport)
    (at plane west-airport)
    (at p1 mill)
    (at p2 yard)
  )

  (:goal (and
    (at p1 yard)
    (at p2 farm)
  ))
)
