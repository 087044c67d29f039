; Three balls in three rooms, each wanted in another room; the robot has both grippers.
(define (problem gripper-three-rooms)
  (:domain gripper)

  (:objects
    kitchen hall study - room
    b1 b2 b3 - ball
  )

  (:init
    (at-robby hall)
    (free left)
    (free right)
    (at b1 kitchen)
    (at b2 kitchen)
    (at b3 study)
  )

  (:goal (and
    (at b1 study)
    (at b2 study)
    (at b3 kitchen)
  ))
)
