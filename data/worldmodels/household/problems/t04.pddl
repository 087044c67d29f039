(define (problem household-t04)
  (:domain household-by-hand)
  (:objects
    table fridge - furniture
    apple - item)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (furniture-openable fridge) (furniture-closed fridge)
    (food apple) (sliceable apple) (washable apple) (pickupable apple) (clear apple) (item-at apple fridge))
  (:goal (item-at apple table)))
