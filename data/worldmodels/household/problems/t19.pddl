(define (problem household-t19)
  (:domain household-by-hand)
  (:objects
    counter table fridge - furniture
    apple banana - item
    lunch-box - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (flat-surface table) (furniture-openable fridge)
    (furniture-closed fridge) (food apple) (sliceable apple) (washable apple) (pickupable apple) (clear apple)
    (food banana) (sliceable banana) (washable banana) (pickupable banana) (clear banana)
    (receptacle-openable lunch-box) (pickupable lunch-box) (clear lunch-box) (item-at apple counter)
    (item-at banana table) (item-at lunch-box counter) (receptacle-closed lunch-box))
  (:goal (and (in-receptacle apple lunch-box) (in-receptacle banana lunch-box) (receptacle-closed lunch-box) (item-at lunch-box fridge))))
