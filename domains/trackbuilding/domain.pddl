; Trackbuilding: an agent goes anywhere and lays track; a train goes forward, only onto locations that have track.
; Signatures as in Oswald et al. (ICAPS 2024), whose files name this domain "track-building".
(define (domain trackbuilding)
  (:requirements :strips :typing)

  (:types
    location
  )

  (:predicates
    (agent-at ?loc - location)
    (train-at ?loc - location)
    (has-track ?loc - location)
    (forward ?loc1 - location ?loc2 - location)
  )

  (:action build-track
    :parameters (?loc - location)
    :precondition (and
      (agent-at ?loc)
    )
    :effect (and
      (has-track ?loc)
    )
  )

  (:action move-agent
    :parameters (?current-loc - location ?next-loc - location)
    :precondition (and
      (agent-at ?current-loc)
    )
    :effect (and
      (agent-at ?next-loc)
      (not (agent-at ?current-loc))
    )
  )

  (:action move-train
    :parameters (?current-loc - location ?next-loc - location)
    :precondition (and
      (train-at ?current-loc)
      (has-track ?next-loc)
      (forward ?current-loc ?next-loc)
    )
    :effect (and
      (train-at ?next-loc)
      (not (train-at ?current-loc))
    )
  )
)
