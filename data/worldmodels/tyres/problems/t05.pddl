(define (problem tyres-t05)
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
    (stored pump boot) (in-hand wrench) (on-hub wheel-1 hub-1) (jacked-up hub-1 jack) (nut-on nut-1 hub-1)
    (loose nut-1 hub-1) (fastened hub-1) (intact spare-1) (stored spare-1 boot))
  (:goal (stored wheel-1 boot)))
