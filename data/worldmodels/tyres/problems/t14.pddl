(define (problem tyres-t14)
  (:domain tyres-by-hand)
  (:objects
    jack - jack
    wrench - wrench
    pump - pump
    wheel-1 spare-1 - wheel
    nut-1 - nut
    hub-1 - hub
    boot - container)
  (:init
    (open boot) (stored pump boot) (in-hand jack) (in-hand wrench) (on-hub wheel-1 hub-1) (on-ground hub-1)
    (nut-on nut-1 hub-1) (tight nut-1 hub-1) (fastened hub-1) (intact spare-1) (stored spare-1 boot)
    (inflated spare-1))
  (:goal (and (on-hub spare-1 hub-1) (tight nut-1 hub-1))))
