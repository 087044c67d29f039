(define (problem household-t20)
  (:domain household-by-hand)
  (:objects
    counter table microwave - furniture
    soup - item
    bowl mug - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (flat-surface table) (furniture-openable microwave)
    (microwave microwave) (furniture-closed microwave) (food soup) (clear soup) (pickupable bowl) (clear bowl)
    (pickupable mug) (clear mug) (item-at bowl counter) (item-at mug table) (in-receptacle soup bowl))
  (:goal (and (heated soup) (in-receptacle soup mug) (item-at mug table) (furniture-closed microwave))))
