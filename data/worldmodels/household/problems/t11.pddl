(define (problem household-t11)
  (:domain household-by-hand)
  (:objects
    counter microwave - furniture
    soup - item
    bowl - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (furniture-openable microwave) (microwave microwave)
    (furniture-closed microwave) (food soup) (clear soup) (washable bowl) (pickupable bowl) (clear bowl)
    (item-at bowl counter) (in-receptacle soup bowl))
  (:goal (heated soup)))
