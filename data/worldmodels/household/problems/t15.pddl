(define (problem household-t15)
  (:domain household-by-hand)
  (:objects
    carpet cabinet trash-can - furniture
    vacuum - item)
  (:init
    (robot-at carpet) (hand-empty) (carpet carpet) (furniture-openable cabinet) (furniture-openable trash-can)
    (trash-can trash-can) (furniture-closed trash-can) (vacuum-cleaner vacuum) (pickupable vacuum) (clear vacuum)
    (item-at vacuum cabinet) (dust-bin-full vacuum))
  (:goal (and (carpet-clean carpet) (item-at vacuum cabinet))))
