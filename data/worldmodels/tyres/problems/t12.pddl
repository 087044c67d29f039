(define (problem tyres-t12)
  (:domain tyres-by-hand)
  (:objects
    jack - jack
    wrench - wrench
    pump - pump
    wheel-1 wheel-2 spare-1 - wheel
    nut-1 nut-2 - nut
    hub-1 hub-2 - hub
    boot - container)
  (:init
    (open boot) (stored jack boot) (stored wrench boot) (stored pump boot) (on-hub wheel-1 hub-1) (on-ground hub-1)
    (nut-on nut-1 hub-1) (tight nut-1 hub-1) (fastened hub-1) (on-hub wheel-2 hub-2) (on-ground hub-2)
    (nut-on nut-2 hub-2) (tight nut-2 hub-2) (fastened hub-2) (intact spare-1) (stored spare-1 boot))
  (:goal (and (loose nut-2 hub-2) (in-hand wheel-1))))
