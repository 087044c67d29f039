(define (problem household-t31)
  (:domain household-by-hand)
  (:objects
    table microwave burner - furniture
    roll egg spoon - item
    plate pan - receptacle)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (furniture-openable microwave) (microwave microwave)
    (furniture-closed microwave) (stove-burner burner) (food roll) (pickupable roll) (clear roll) (food egg)
    (clear egg) (pickupable spoon) (clear spoon) (pickupable plate) (clear plate) (pan pan) (pickupable pan)
    (clear pan) (in-receptacle roll plate) (item-at plate microwave) (in-receptacle egg pan)
    (in-receptacle spoon pan) (item-at pan burner))
  (:goal (and (heated roll) (item-at plate table) (heated egg) (item-at pan table))))
