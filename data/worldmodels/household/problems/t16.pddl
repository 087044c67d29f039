(define (problem household-t16)
  (:domain household-by-hand)
  (:objects
    table sink - furniture
    plate-1 plate-2 - receptacle)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (sink sink) (stackable plate-1) (washable plate-1)
    (pickupable plate-1) (clear plate-1) (stackable plate-2) (washable plate-2) (pickupable plate-2) (clear plate-2)
    (item-at plate-1 table) (item-at plate-2 table))
  (:goal (and (clean plate-1) (clean plate-2) (stacked-on plate-1 plate-2) (item-at plate-2 table))))
