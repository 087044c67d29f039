; Forest: hikers cross a map of woods, hills and water; hills are climbed, and nobody gets out of the water again.
; Signatures as in Oswald et al. (ICAPS 2024), whose files name this domain "hiking".
(define (domain forest)
  (:requirements :strips :typing :negative-preconditions)

  (:types
    location
  )

  (:predicates
    (at ?loc - location)
    (iswater ?loc - location)
    (ishill ?loc - location)
    (adjacent ?loc1 - location ?loc2 - location)
    (ontrail ?from - location ?to - location)
  )

  (:action walk
    :parameters (?from - location ?to - location)
    :precondition (and
      (at ?from)
      (adjacent ?from ?to)
      (not (iswater ?from))
      (not (ishill ?to))
    )
    :effect (and
      (at ?to)
      (not (at ?from))
    )
  )

  (:action climb
    :parameters (?from - location ?to - location)
    :precondition (and
      (at ?from)
      (adjacent ?from ?to)
      (not (iswater ?from))
      (ishill ?to)
    )
    :effect (and
      (at ?to)
      (not (at ?from))
    )
  )
)
