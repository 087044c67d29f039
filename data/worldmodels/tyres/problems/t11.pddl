(define (problem tyres-t11)
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
    (open boot) (stored pump boot) (in-hand wrench) (in-hand nut-1) (free hub-1) (jacked-up hub-1 jack)
    (intact spare-1) (stored spare-1 boot))
  (:goal (and (tight nut-1 hub-1) (on-hub spare-1 hub-1) (on-ground hub-1) (inflated spare-1))))
