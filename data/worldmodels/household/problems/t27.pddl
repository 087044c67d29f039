(define (problem household-t27)
  (:domain household-by-hand)
  (:objects
    table cabinet drawer - furniture
    towel-1 towel-2 soap book-1 book-2 book-3 - item)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (furniture-openable cabinet) (furniture-closed cabinet)
    (furniture-closed drawer) (stackable towel-1) (pickupable towel-1) (stackable towel-2) (pickupable towel-2)
    (clear towel-2) (pickupable soap) (clear soap) (stackable book-1) (pickupable book-1) (stackable book-2)
    (pickupable book-2) (stackable book-3) (pickupable book-3) (clear book-3) (item-at towel-1 cabinet)
    (stacked-on towel-2 towel-1) (item-at soap table) (item-at book-1 table) (stacked-on book-2 book-1)
    (stacked-on book-3 book-2))
  (:goal (item-at towel-2 table)))
