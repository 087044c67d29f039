(define (problem household-t02)
  (:domain household-by-hand)
  (:objects
    shelf table - furniture
    red-book blue-book - item)
  (:init
    (robot-at shelf) (hand-empty) (flat-surface table) (stackable red-book) (pickupable red-book) (clear red-book)
    (stackable blue-book) (pickupable blue-book) (clear blue-book) (item-at red-book shelf)
    (item-at blue-book table))
  (:goal (stacked-on red-book blue-book)))
