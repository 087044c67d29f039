(define (problem tyres-t27)
  (:domain tyres-by-hand)
  (:objects
    jack - jack
    wrench-1 wrench-2 - wrench
    boot glove-box - container)
  (:init
    (locked glove-box) (stored jack boot) (stored wrench-1 glove-box) (stored wrench-2 boot))
  (:goal (and (in-hand jack) (in-hand wrench-2))))
