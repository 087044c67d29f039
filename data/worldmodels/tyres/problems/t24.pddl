(define (problem tyres-t24)
  (:domain tyres-by-hand)
  (:objects
    jack - jack
    wrench - wrench
    pump - pump
    wheel-1 wheel-2 spare-1 spare-2 - wheel
    nut-1 nut-2 - nut
    hub-1 hub-2 - hub
    boot - container)
  (:init
    (stored jack boot) (stored wrench boot) (stored pump boot) (on-hub wheel-1 hub-1) (on-ground hub-1)
    (nut-on nut-1 hub-1) (tight nut-1 hub-1) (fastened hub-1) (on-hub wheel-2 hub-2) (on-ground hub-2)
    (nut-on nut-2 hub-2) (tight nut-2 hub-2) (fastened hub-2) (intact spare-1) (stored spare-1 boot)
    (intact spare-2) (stored spare-2 boot))
  (:goal (and (on-hub spare-1 hub-1) (on-hub spare-2 hub-2) (tight nut-1 hub-1) (tight nut-2 hub-2) (inflated spare-1) (inflated spare-2))))
