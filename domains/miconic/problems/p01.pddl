; Three floors. Ann has boarded already and can leave at once or later; Bob waits two floors down and wants to get up.
(define (problem miconic-there-and-back)
  (:domain miconic)

  (:objects
    f1 f2 f3 - floor
    ann bob - passenger
  )

  (:init
    (above f1 f2)
    (above f1 f3)
    (above f2 f3)
    (lift-at f3)
    (origin ann f1)
    (destin ann f3)
    (boarded ann)
    (origin bob f1)
    (destin bob f3)
  )

  (:goal (and
    (served ann)
    (served bob)
  ))
)
