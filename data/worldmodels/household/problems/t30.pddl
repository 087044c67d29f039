(define (problem household-t30)
  (:domain household-by-hand)
  (:objects
    counter - furniture
    banana walnut cork knife spoon - item
    board blender - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (food banana) (sliceable banana) (clear banana)
    (food walnut) (clear walnut) (sliceable cork) (sliced cork) (pickupable cork) (clear cork) (knife knife)
    (pickupable knife) (clear knife) (pickupable spoon) (clear spoon) (cutting-board board) (pickupable board)
    (clear board) (blender blender) (switchable blender) (clear blender) (in-receptacle banana board)
    (in-receptacle walnut board) (in-receptacle cork blender) (item-at knife counter) (item-at spoon counter)
    (item-at board counter) (item-at blender counter))
  (:goal (and (mashed banana) (in-receptacle walnut board) (item-at cork counter))))
