(define (problem household-t24)
  (:domain household-by-hand)
  (:objects
    table sink cabinet drawer - furniture
    plate-1 plate-2 - receptacle
    cloth - item)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (sink sink) (furniture-openable cabinet)
    (furniture-openable drawer) (furniture-closed cabinet) (furniture-closed drawer) (washable plate-1)
    (pickupable plate-1) (clear plate-1) (washable plate-2) (pickupable plate-2) (clear plate-2) (clean cloth)
    (cloth cloth) (washable cloth) (pickupable cloth) (clear cloth) (item-at plate-1 table) (item-at plate-2 table)
    (item-at cloth drawer))
  (:goal (and (clean plate-1) (clean plate-2) (item-at plate-1 cabinet) (item-at plate-2 cabinet) (furniture-closed cabinet) (surface-clean table))))
