(define (problem household-t12)
  (:domain household-by-hand)
  (:objects
    counter fridge burner - furniture
    egg - item
    pan - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (furniture-openable fridge) (stove-burner burner)
    (furniture-closed fridge) (food egg) (pickupable egg) (clear egg) (pan pan) (washable pan) (pickupable pan)
    (clear pan) (item-at egg fridge) (item-at pan counter))
  (:goal (heated egg)))
