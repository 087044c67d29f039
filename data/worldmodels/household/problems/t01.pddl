(define (problem household-t01)
  (:domain household-by-hand)
  (:objects
    counter table - furniture
    mug - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (flat-surface table) (washable mug) (pickupable mug)
    (clear mug) (item-at mug counter))
  (:goal (item-at mug table)))
