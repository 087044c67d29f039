(define (problem household-t26)
  (:domain household-by-hand)
  (:objects
    table counter drawer sink - furniture
    banana knife - item
    board blender bowl - receptacle)
  (:init
    (robot-at table) (hand-empty) (flat-surface table) (flat-surface counter) (furniture-openable drawer)
    (sink sink) (furniture-closed drawer) (food banana) (sliceable banana) (washable banana) (pickupable banana)
    (clear banana) (knife knife) (washable knife) (pickupable knife) (clear knife) (cutting-board board)
    (pickupable board) (clear board) (blender blender) (switchable blender) (pickupable blender) (clear blender)
    (pickupable bowl) (clear bowl) (item-at banana counter) (item-at knife drawer) (item-at board counter)
    (item-at blender counter) (item-at bowl table))
  (:goal (and (clean banana) (clean knife) (mashed banana) (in-receptacle banana bowl) (item-at knife drawer) (furniture-closed drawer) (item-at bowl table) (hand-empty))))
