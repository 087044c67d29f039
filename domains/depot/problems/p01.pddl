; A stack of two crates moves from the depot to the distributor: its pallet has to be clear in the end, and so has the
; upper crate, which therefore may stay neither on the truck nor in a hoist.
(define (problem depot-move-stack)
  (:domain depot)

  (:objects
    d1 - depot
    s1 - distributor
    t1 - truck
    h1 h2 - hoist
    pal1 pal2 - pallet
    c1 c2 - crate
  )

  (:init
    (at h1 d1)
    (available h1)
    (at h2 s1)
    (available h2)
    (at pal1 d1)
    (at pal2 s1)
    (clear pal2)
    (at c1 d1)
    (on c1 pal1)
    (at c2 d1)
    (on c2 c1)
    (clear c2)
    (at t1 d1)
  )

  (:goal (and
    (on c1 pal2)
    (clear c2)
    (clear pal1)
  ))
)
