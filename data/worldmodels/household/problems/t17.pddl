(define (problem household-t17)
  (:domain household-by-hand)
  (:objects
    counter drawer - furniture
    banana knife - item
    board blender - receptacle)
  (:init
    (robot-at counter) (hand-empty) (flat-surface counter) (furniture-openable drawer) (furniture-closed drawer)
    (food banana) (sliceable banana) (washable banana) (pickupable banana) (clear banana) (knife knife)
    (pickupable knife) (clear knife) (cutting-board board) (pickupable board) (clear board) (blender blender)
    (switchable blender) (clear blender) (item-at banana counter) (item-at knife drawer) (item-at board counter)
    (item-at blender counter))
  (:goal (mashed banana)))
