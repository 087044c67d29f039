; Two trains meet at a junction and part again; some track is there already.
(define (problem trackbuilding-junction)
  (:domain trackbuilding)

  (:objects
    west south junction east north - location
  )

  (:init
    (train-at west)
    (train-at south)
    (agent-at west)
    (has-track east)
    (forward west junction)
    (forward south junction)
    (forward junction east)
    (forward junction north)
  )

  (:goal (and
    (train-at east)
    (train-at north)
  ))
)
