(define (problem household-t06)
  (:domain household-by-hand)
  (:objects
    table drawer - furniture
    cloth - item)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (furniture-openable drawer) (furniture-closed drawer)
    (clean cloth) (cloth cloth) (washable cloth) (pickupable cloth) (clear cloth) (item-at cloth drawer))
  (:goal (surface-clean table)))
