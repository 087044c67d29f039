; One tower of three to be turned upside down: every block has to be set down or stacked again.
(define (problem blocksworld-turn-tower)
  (:domain blocksworld)

  (:objects
    b1 b2 b3 - block
  )

  (:init
    (handempty)
    (ontable b3)
    (on b2 b3)
    (on b1 b2)
    (clear b1)
  )

  (:goal (and
    (on b3 b2)
    (on b2 b1)
  ))
)
