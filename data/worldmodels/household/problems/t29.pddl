(define (problem household-t29)
  (:domain household-by-hand)
  (:objects
    carpet trash-can - furniture
    lamp clock vacuum sweeper broom - item)
  (:init
    (robot-at trash-can) (hand-empty) (carpet carpet) (trash-can trash-can) (switchable lamp) (switched-on lamp)
    (clear lamp) (switched-on clock) (clear clock) (vacuum-cleaner vacuum) (dust-bin-full vacuum)
    (pickupable vacuum) (clear vacuum) (dust-bin-full sweeper) (pickupable sweeper) (clear sweeper)
    (pickupable broom) (clear broom) (item-at lamp carpet) (item-at clock carpet) (item-at vacuum carpet)
    (item-at sweeper carpet) (item-at broom carpet))
  (:goal (and (not (switched-on lamp)) (carpet-clean carpet))))
