(define (problem household-t09)
  (:domain household-by-hand)
  (:objects
    counter drawer - furniture
    orange knife - item
    board - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (furniture-openable drawer) (furniture-closed drawer)
    (food orange) (sliceable orange) (washable orange) (pickupable orange) (clear orange) (knife knife)
    (washable knife) (pickupable knife) (clear knife) (cutting-board board) (pickupable board) (clear board)
    (item-at orange counter) (item-at knife drawer) (item-at board counter))
  (:goal (sliced orange)))
