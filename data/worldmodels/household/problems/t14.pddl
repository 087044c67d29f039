(define (problem household-t14)
  (:domain household-by-hand)
  (:objects
    counter burner table - furniture
    egg - item
    pan plate - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (stove-burner burner) (flat-surface table) (food egg)
    (pickupable egg) (clear egg) (pan pan) (pickupable pan) (clear pan) (stackable plate) (pickupable plate)
    (clear plate) (item-at egg counter) (item-at pan counter) (item-at plate table))
  (:goal (and (heated egg) (in-receptacle egg plate) (item-at plate table))))
