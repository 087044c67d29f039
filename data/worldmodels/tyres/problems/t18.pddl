(define (problem tyres-t18)
  (:domain tyres-by-hand)
  (:objects
    jack - jack
    wrench - wrench
    pump - pump
    wheel-1 wheel-2 - wheel
    nut-1 nut-2 - nut
    hub-1 hub-2 - hub
    boot - container)
  (:init
    (open boot) (stored pump boot) (in-hand jack) (in-hand wrench) (on-hub wheel-1 hub-1) (on-ground hub-1)
    (nut-on nut-1 hub-1) (tight nut-1 hub-1) (fastened hub-1) (on-hub wheel-2 hub-2) (on-ground hub-2)
    (nut-on nut-2 hub-2) (tight nut-2 hub-2) (fastened hub-2))
  (:goal (and (on-hub wheel-2 hub-1) (on-hub wheel-1 hub-2))))
