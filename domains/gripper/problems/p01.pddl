; Two balls in one room, wanted in the other, and only the left gripper can take hold of anything.
(define (problem gripper-one-hand)
  (:domain gripper)

  (:objects
    attic cellar - room
    b1 b2 - ball
  )

  (:init
    (at-robby cellar)
    (free left)
    (at b1 attic)
    (at b2 attic)
  )

  (:goal (and
    (at b1 cellar)
    (at b2 cellar)
  ))
)
