; Five floors, three passengers: two go down, one goes up.
(define (problem miconic-three-passengers)
  (:domain miconic)

  (:objects
    f1 f2 f3 f4 f5 - floor
    ann bob cem - passenger
  )

  (:init
    (above f1 f2)
    (above f1 f3)
    (above f1 f4)
    (above f1 f5)
    (above f2 f3)
    (above f2 f4)
    (above f2 f5)
    (above f3 f4)
    (above f3 f5)
    (above f4 f5)
    (lift-at f3)
    (origin ann f5)
    (destin ann f1)
    (origin bob f1)
    (destin bob f4)
    (origin cem f4)
    (destin cem f2)
  )

  (:goal (and
    (served ann)
    (served bob)
    (served cem)
  ))
)
