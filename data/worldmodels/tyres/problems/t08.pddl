(define (problem tyres-t08)
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
    (stored jack boot) (stored wrench boot) (stored pump boot) (on-hub wheel-1 hub-1) (on-ground hub-1)
    (nut-on nut-1 hub-1) (tight nut-1 hub-1) (fastened hub-1) (intact spare-1) (stored spare-1 boot))
  (:goal (and (loose nut-1 hub-1) (jacked-up hub-1 jack))))
