; The lower crate of the depot is wanted on top of a crate at one distributor, the upper one anywhere at the other.
(define (problem depot-two-distributors)
  (:domain depot)

  (:objects
    d1 - depot
    s1 s2 - distributor
    t1 - truck
    h1 h2 h3 - hoist
    pal1 pal2 pal3 - pallet
    c1 c2 c3 - crate
  )

  (:init
    (at h1 d1)
    (available h1)
    (at h2 s1)
    (available h2)
    (at h3 s2)
    (available h3)
    (at pal1 d1)
    (at pal2 s1)
    (at pal3 s2)
    (clear pal3)
    (at c1 d1)
    (on c1 pal1)
    (at c2 d1)
    (on c2 c1)
    (clear c2)
    (at c3 s1)
    (on c3 pal2)
    (clear c3)
    (at t1 s2)
  )

  (:goal (and
    (on c1 c3)
    (at c2 s2)
  ))
)
