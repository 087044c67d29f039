(define (problem household-t07)
  (:domain household-by-hand)
  (:objects
    carpet cabinet - furniture
    vacuum - item)
  (:init
    (robot-at carpet) (hand-empty) (carpet carpet) (furniture-openable cabinet) (furniture-closed cabinet)
    (vacuum-cleaner vacuum) (pickupable vacuum) (clear vacuum) (item-at vacuum cabinet))
  (:goal (carpet-clean carpet)))
