; Logistics: trucks carry packages inside a city, airplanes carry them between the airports of different cities.
; Signatures as in Oswald et al. (ICAPS 2024), whose files name this domain "logistics".
(define (domain logistics)
  (:requirements :strips :typing)

  (:types
    truck airplane - vehicle
    package vehicle - physobj
    airport location - place
    city place physobj - object
  )

  (:predicates
    (in-city ?loc - place ?city - city)
    (at ?obj - physobj ?loc - place)
    (in ?pkg - package ?veh - vehicle)
  )

  (:action load-truck
    :parameters (?pkg - package ?truck - truck ?loc - place)
    :precondition (and
      (at ?truck ?loc)
      (at ?pkg ?loc)
    )
    :effect (and
      (in ?pkg ?truck)
      (not (at ?pkg ?loc))
    )
  )

  (:action load-airplane
    :parameters (?pkg - package ?airplane - airplane ?loc - place)
    :precondition (and
      (at ?airplane ?loc)
      (at ?pkg ?loc)
    )
    :effect (and
      (in ?pkg ?airplane)
      (not (at ?pkg ?loc))
    )
  )

  (:action unload-truck
    :parameters (?pkg - package ?truck - truck ?loc - place)
    :precondition (and
      (at ?truck ?loc)
      (in ?pkg ?truck)
    )
    :effect (and
      (at ?pkg ?loc)
      (not (in ?pkg ?truck))
    )
  )

  (:action unload-airplane
    :parameters (?pkg - package ?airplane - airplane ?loc - place)
    :precondition (and
      (at ?airplane ?loc)
      (in ?pkg ?airplane)
    )
    :effect (and
      (at ?pkg ?loc)
      (not (in ?pkg ?airplane))
    )
  )

  (:action drive-truck
    :parameters (?truck - truck ?loc-from - place ?loc-to - place ?city - city)
    :precondition (and
      (at ?truck ?loc-from)
      (in-city ?loc-from ?city)
      (in-city ?loc-to ?city)
    )
    :effect (and
      (at ?truck ?loc-to)
      (not (at ?truck ?loc-from))
    )
  )

  (:action fly-airplane
    :parameters (?airplane - airplane ?loc-from - airport ?loc-to - airport)
    :precondition (and
      (at ?airplane ?loc-from)
    )
    :effect (and
      (at ?airplane ?loc-to)
      (not (at ?airplane ?loc-from))
    )
  )
)
