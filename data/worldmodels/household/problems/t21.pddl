(define (problem household-t21)
  (:domain household-by-hand)
  (:objects
    table drawer counter - furniture
    knife fork spoon - item)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (furniture-openable drawer) (flat-surface counter)
    (furniture-closed drawer) (knife knife) (pickupable knife) (clear knife) (pickupable fork) (clear fork)
    (pickupable spoon) (clear spoon) (item-at knife table) (item-at fork table) (item-at spoon counter))
  (:goal (and (item-at knife drawer) (item-at fork drawer) (item-at spoon drawer) (furniture-closed drawer))))
