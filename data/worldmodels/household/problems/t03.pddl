(define (problem household-t03)
  (:domain household-by-hand)
  (:objects
    table shelf cabinet - furniture
    lamp - item)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (furniture-openable cabinet) (furniture-closed cabinet)
    (switchable lamp) (clear lamp) (item-at lamp shelf))
  (:goal (and (switched-on lamp) (not (furniture-closed cabinet)))))
