; Depot: hoists move crates between stacks on pallets and trucks, trucks drive between depots and distributors.
; Signatures as in Oswald et al. (ICAPS 2024), whose files name this domain "Depot".
(define (domain depot)
  (:requirements :strips :typing)

  (:types
    place locatable - object
    depot distributor - place
    truck hoist surface - locatable
    pallet crate - surface
  )

  (:predicates
    (at ?x - locatable ?y - place)
    (on ?x - crate ?y - surface)
    (in ?x - crate ?y - truck)
    (lifting ?x - hoist ?y - crate)
    (available ?x - hoist)
    (clear ?x - surface)
  )

  (:action drive
    :parameters (?x - truck ?y - place ?z - place)
    :precondition (and
      (at ?x ?y)
    )
    :effect (and
      (at ?x ?z)
      (not (at ?x ?y))
    )
  )

  (:action lift
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?y ?p)
      (on ?y ?z)
      (clear ?y)
      (available ?x)
    )
    :effect (and
      (lifting ?x ?y)
      (clear ?z)
      (not (at ?y ?p))
      (not (on ?y ?z))
      (not (clear ?y))
      (not (available ?x))
    )
  )

  (:action drop
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (clear ?z)
      (lifting ?x ?y)
    )
    :effect (and
      (at ?y ?p)
      (on ?y ?z)
      (clear ?y)
      (available ?x)
      (not (clear ?z))
      (not (lifting ?x ?y))
    )
  )

  (:action load
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (lifting ?x ?y)
    )
    :effect (and
      (in ?y ?z)
      (available ?x)
      (not (lifting ?x ?y))
    )
  )

  (:action unload
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (in ?y ?z)
      (available ?x)
    )
    :effect (and
      (lifting ?x ?y)
      (not (in ?y ?z))
      (not (available ?x))
    )
  )
)
