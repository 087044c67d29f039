(define (problem household-t10)
  (:domain household-by-hand)
  (:objects
    table cabinet - furniture
    plate-1 plate-2 - receptacle)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (furniture-openable cabinet) (furniture-closed cabinet)
    (stackable plate-1) (washable plate-1) (pickupable plate-1) (stackable plate-2) (washable plate-2)
    (pickupable plate-2) (clear plate-2) (item-at plate-1 table) (stacked-on plate-2 plate-1))
  (:goal (item-at plate-1 cabinet)))
