(define (problem household-t05)
  (:domain household-by-hand)
  (:objects
    table sink counter - furniture
    apple - item)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (sink sink) (flat-surface counter) (food apple)
    (sliceable apple) (washable apple) (pickupable apple) (clear apple) (item-at apple table))
  (:goal (and (clean apple) (item-at apple counter))))
