; Delivery: papers are picked up at the home base and delivered; nobody leaves an unsafe location again.
; Signatures as in Oswald et al. (ICAPS 2024), whose files name this domain "trapnewspapers".
(define (domain delivery)
  (:requirements :strips :typing)

  (:types
    location
    paper
  )

  (:predicates
    (at ?loc - location)
    (ishomebase ?loc - location)
    (satisfied ?loc - location)
    (wantspaper ?loc - location)
    (safe ?loc - location)
    (unpacked ?paper - paper)
    (carrying ?paper - paper)
  )

  (:action pick-up
    :parameters (?paper - paper ?loc - location)
    :precondition (and
      (at ?loc)
      (ishomebase ?loc)
      (unpacked ?paper)
    )
    :effect (and
      (carrying ?paper)
      (not (unpacked ?paper))
    )
  )

  (:action move
    :parameters (?from - location ?to - location)
    :precondition (and
      (at ?from)
      (safe ?from)
    )
    :effect (and
      (at ?to)
      (not (at ?from))
    )
  )

  (:action deliver
    :parameters (?paper - paper ?loc - location)
    :precondition (and
      (at ?loc)
      (carrying ?paper)
    )
    :effect (and
      (satisfied ?loc)
      (not (carrying ?paper))
      (not (wantspaper ?loc))
    )
  )
)
