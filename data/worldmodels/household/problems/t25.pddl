(define (problem household-t25)
  (:domain household-by-hand)
  (:objects
    counter fridge burner table sink cabinet - furniture
    egg - item
    pan plate - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (furniture-openable fridge) (stove-burner burner)
    (flat-surface table) (sink sink) (furniture-openable cabinet) (furniture-closed fridge)
    (furniture-closed cabinet) (food egg) (pickupable egg) (clear egg) (pan pan) (washable pan) (pickupable pan)
    (clear pan) (pickupable plate) (clear plate) (item-at egg fridge) (item-at pan counter) (item-at plate table))
  (:goal (and (heated egg) (in-receptacle egg plate) (item-at plate table) (clean pan) (item-at pan cabinet) (furniture-closed cabinet) (furniture-closed fridge))))
