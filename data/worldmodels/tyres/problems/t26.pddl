(define (problem tyres-t26)
  (:domain tyres-by-hand)
  (:objects
    jack-1 jack-2 - jack
    wrench - wrench
    spare - wheel
    nut - nut
    hub - hub)
  (:init
    (in-hand jack-2) (in-hand wrench) (in-hand spare) (jacked-up hub jack-1) (free hub) (nut-on nut hub)
    (loose nut hub) (fastened hub) (intact spare) (inflated spare))
  (:goal (and (on-hub spare hub) (nut-on nut hub))))
