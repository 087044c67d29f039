(define (problem household-t28)
  (:domain household-by-hand)
  (:objects
    counter - furniture
    cake book - item
    box bowl can - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (food cake) (pickupable cake) (clear cake)
    (stackable book) (pickupable book) (clear book) (receptacle-openable box) (stackable box) (pickupable box)
    (pickupable bowl) (clear bowl) (clear can) (in-receptacle cake box) (stacked-on book box) (item-at box counter)
    (item-at bowl counter) (item-at can counter) (receptacle-closed box) (receptacle-closed can))
  (:goal (in-receptacle cake bowl)))
