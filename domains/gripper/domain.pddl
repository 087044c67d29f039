; Gripper: a robot with a left and a right gripper carries balls from room to room.
; Signatures as in Oswald et al. (ICAPS 2024), whose files name this domain "gripper-typed".
(define (domain gripper)
  (:requirements :strips :typing)

  (:types
    room
    ball
    gripper
  )

  (:constants
    left right - gripper
  )

  (:predicates
    (at-robby ?r - room)
    (at ?b - ball ?r - room)
    (free ?g - gripper)
    (carry ?o - ball ?g - gripper)
  )

  (:action move
    :parameters (?from - room ?to - room)
    :precondition (and
      (at-robby ?from)
    )
    :effect (and
      (at-robby ?to)
      (not (at-robby ?from))
    )
  )

  (:action pick
    :parameters (?obj - ball ?room - room ?gripper - gripper)
    :precondition (and
      (at ?obj ?room)
      (at-robby ?room)
      (free ?gripper)
    )
    :effect (and
      (carry ?obj ?gripper)
      (not (at ?obj ?room))
      (not (free ?gripper))
    )
  )

  (:action drop
    :parameters (?obj - ball ?room - room ?gripper - gripper)
    :precondition (and
      (carry ?obj ?gripper)
      (at-robby ?room)
    )
    :effect (and
      (at ?obj ?room)
      (free ?gripper)
      (not (carry ?obj ?gripper))
    )
  )
)
