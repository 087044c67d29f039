(define (problem household-t13)
  (:domain household-by-hand)
  (:objects
    table counter sink - furniture
    cloth - item)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (flat-surface counter) (sink sink) (cloth cloth)
    (washable cloth) (pickupable cloth) (clear cloth) (item-at cloth sink))
  (:goal (and (surface-clean table) (surface-clean counter))))
