; One parcel, from a shop in one city to a house in the other: by truck, by airplane, by truck.
(define (problem logistics-one-parcel)
  (:domain logistics)

  (:objects
    north south - city
    north-airport south-airport - airport
    shop house - location
    t1 t2 - truck
    plane - airplane
    parcel - package
  )

  (:init
    (in-city shop north)
    (in-city north-airport north)
    (in-city house south)
    (in-city south-airport south)
    (at t1 shop)
    (at t2 south-airport)
    (at plane north-airport)
    (at parcel shop)
  )

  (:goal (and
    (at parcel house)
  ))
)
