(define (problem household-t18)
  (:domain household-by-hand)
  (:objects
    carpet rug cabinet trash-can - furniture
    vacuum - item)
  (:init
    (robot-at carpet) (hand-empty) (carpet carpet) (furniture-openable cabinet) (furniture-openable trash-can)
    (trash-can trash-can) (furniture-closed cabinet) (furniture-closed trash-can) (vacuum-cleaner vacuum)
    (pickupable vacuum) (clear vacuum) (item-at vacuum cabinet) (carpet rug))
  (:goal (and (carpet-clean carpet) (carpet-clean rug) (not (dust-bin-full vacuum)))))
