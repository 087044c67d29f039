; A line with a siding; the train stands at its start, the agent farther on.
(define (problem trackbuilding-line)
  (:domain trackbuilding)

  (:objects
    start bridge end siding - location
  )

  (:init
    (train-at start)
    (agent-at bridge)
    (forward start bridge)
    (forward bridge end)
    (forward start siding)
  )

  (:goal (and
    (train-at end)
  ))
)
