(define (problem household-t08)
  (:domain household-by-hand)
  (:objects
    counter table - furniture
    banana - item
    lunch-box - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (flat-surface table) (food banana) (sliceable banana)
    (washable banana) (pickupable banana) (clear banana) (receptacle-openable lunch-box) (stackable lunch-box)
    (pickupable lunch-box) (clear lunch-box) (item-at banana table) (item-at lunch-box counter)
    (receptacle-closed lunch-box))
  (:goal (and (in-receptacle banana lunch-box) (receptacle-closed lunch-box))))
