; Two towers whose lower blocks are wanted on top, and a fifth block alone.
(define (problem blocksworld-two-towers)
  (:domain blocksworld)

  (:objects
    b1 b2 b3 b4 b5 - block
  )

  (:init
    (handempty)
    (ontable b1)
    (on b2 b1)
    (clear b2)
    (ontable b3)
    (on b4 b3)
    (clear b4)
    (ontable b5)
    (clear b5)
  )

  (:goal (and
    (on b1 b4)
    (on b3 b5)
    (ontable b2)
  ))
)
