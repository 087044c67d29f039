;; A robot with one arm keeps house: it carries, opens, stacks, cooks and cleans.
(define (domain household-by-hand)
  (:requirements :strips :typing :negative-preconditions)
  (:types furniture item - object
          receptacle - item)
  (:predicates
    (robot-at ?f - furniture)
    (hand-empty)
    (holding ?i - item)
    (item-at ?i - item ?f - furniture)
    (in-receptacle ?i - item ?r - receptacle)
    (stacked-on ?i - item ?j - item)
    (clear ?i - item)
    (pickupable ?i - item)
    (stackable ?i - item)
    (flat-surface ?f - furniture)
    (furniture-openable ?f - furniture)
    (furniture-closed ?f - furniture)
    (receptacle-openable ?r - receptacle)
    (receptacle-closed ?r - receptacle)
    (switchable ?i - item)
    (switched-on ?i - item)
    (food ?i - item)
    (sliceable ?i - item)
    (sliced ?i - item)
    (heated ?i - item)
    (mashed ?i - item)
    (knife ?i - item)
    (cutting-board ?r - receptacle)
    (pan ?r - receptacle)
    (blender ?r - receptacle)
    (microwave ?f - furniture)
    (stove-burner ?f - furniture)
    (sink ?f - furniture)
    (washable ?i - item)
    (clean ?i - item)
    (cloth ?i - item)
    (surface-clean ?f - furniture)
    (carpet ?f - furniture)
    (carpet-clean ?f - furniture)
    (vacuum-cleaner ?i - item)
    (dust-bin-full ?i - item)
    (trash-can ?f - furniture))

  (:action go-to
    :parameters (?from - furniture ?to - furniture)
    :precondition (robot-at ?from)
    :effect (and (robot-at ?to) (not (robot-at ?from))))

  (:action pick-up
    :parameters (?i - item ?f - furniture)
    :precondition (and (robot-at ?f) (item-at ?i ?f) (pickupable ?i) (clear ?i) (hand-empty) (not (furniture-closed ?f)))
    :effect (and (holding ?i) (not (item-at ?i ?f)) (not (hand-empty))))

  (:action put
    :parameters (?i - item ?f - furniture)
    :precondition (and (robot-at ?f) (holding ?i) (not (furniture-closed ?f)))
    :effect (and (item-at ?i ?f) (hand-empty) (not (holding ?i))))

  (:action stack
    :parameters (?i - item ?j - item ?f - furniture)
    :precondition (and (robot-at ?f) (flat-surface ?f) (holding ?i) (item-at ?j ?f) (stackable ?i) (stackable ?j) (clear ?j))
    :effect (and (stacked-on ?i ?j) (hand-empty) (not (holding ?i)) (not (clear ?j))))

  (:action unstack
    :parameters (?i - item ?j - item ?f - furniture)
    :precondition (and (robot-at ?f) (item-at ?j ?f) (stacked-on ?i ?j) (clear ?i) (hand-empty) (not (furniture-closed ?f)))
    :effect (and (holding ?i) (clear ?j) (not (stacked-on ?i ?j)) (not (hand-empty))))

  (:action open-furniture
    :parameters (?f - furniture)
    :precondition (and (robot-at ?f) (furniture-openable ?f) (furniture-closed ?f) (hand-empty))
    :effect (not (furniture-closed ?f)))

  (:action close-furniture
    :parameters (?f - furniture)
    :precondition (and (robot-at ?f) (furniture-openable ?f) (hand-empty) (not (furniture-closed ?f)))
    :effect (furniture-closed ?f))

  (:action switch-on
    :parameters (?i - item ?f - furniture)
    :precondition (and (robot-at ?f) (item-at ?i ?f) (switchable ?i) (hand-empty) (not (switched-on ?i)))
    :effect (switched-on ?i))

  (:action switch-off
    :parameters (?i - item ?f - furniture)
    :precondition (and (robot-at ?f) (item-at ?i ?f) (switchable ?i) (hand-empty) (switched-on ?i))
    :effect (not (switched-on ?i)))

  (:action slice
    :parameters (?i - item ?k - item ?b - receptacle ?f - furniture)
    :precondition (and (robot-at ?f) (flat-surface ?f) (holding ?k) (knife ?k) (item-at ?b ?f) (cutting-board ?b)
                       (in-receptacle ?i ?b) (sliceable ?i) (not (sliced ?i)))
    :effect (and (sliced ?i) (not (pickupable ?i))))

  (:action heat-in-microwave
    :parameters (?i - item ?r - receptacle ?m - furniture)
    :precondition (and (robot-at ?m) (microwave ?m) (furniture-closed ?m) (item-at ?r ?m) (in-receptacle ?i ?r) (food ?i)
                       (hand-empty))
    :effect (and (heated ?i) (not (pickupable ?i))))

  (:action heat-in-pan
    :parameters (?i - item ?p - receptacle ?b - furniture)
    :precondition (and (robot-at ?b) (stove-burner ?b) (item-at ?p ?b) (pan ?p) (in-receptacle ?i ?p) (food ?i) (hand-empty))
    :effect (and (heated ?i) (not (pickupable ?i))))

  (:action transfer-food
    :parameters (?i - item ?from - receptacle ?to - receptacle ?f - furniture)
    :precondition (and (robot-at ?f) (flat-surface ?f) (holding ?from) (in-receptacle ?i ?from) (food ?i) (item-at ?to ?f)
                       (clear ?to) (not (receptacle-closed ?from)) (not (receptacle-closed ?to)))
    :effect (and (in-receptacle ?i ?to) (not (in-receptacle ?i ?from))))

  (:action put-in-receptacle
    :parameters (?i - item ?r - receptacle ?f - furniture)
    :precondition (and (robot-at ?f) (flat-surface ?f) (holding ?i) (item-at ?r ?f) (clear ?r) (not (receptacle-closed ?r)))
    :effect (and (in-receptacle ?i ?r) (hand-empty) (not (holding ?i))))

  (:action take-from-receptacle
    :parameters (?i - item ?r - receptacle ?f - furniture)
    :precondition (and (robot-at ?f) (flat-surface ?f) (item-at ?r ?f) (in-receptacle ?i ?r) (pickupable ?i) (clear ?r)
                       (hand-empty) (not (receptacle-closed ?r)))
    :effect (and (holding ?i) (not (in-receptacle ?i ?r)) (not (hand-empty))))

  (:action open-receptacle
    :parameters (?r - receptacle ?f - furniture)
    :precondition (and (robot-at ?f) (flat-surface ?f) (item-at ?r ?f) (receptacle-openable ?r) (receptacle-closed ?r)
                       (clear ?r) (hand-empty))
    :effect (not (receptacle-closed ?r)))

  (:action close-receptacle
    :parameters (?r - receptacle ?f - furniture)
    :precondition (and (robot-at ?f) (flat-surface ?f) (item-at ?r ?f) (receptacle-openable ?r) (clear ?r) (hand-empty)
                       (not (receptacle-closed ?r)))
    :effect (receptacle-closed ?r))

  (:action mash
    :parameters (?i - item ?b - receptacle ?f - furniture)
    :precondition (and (robot-at ?f) (item-at ?b ?f) (blender ?b) (in-receptacle ?i ?b) (food ?i) (sliced ?i) (hand-empty)
                       (not (switched-on ?b)))
    :effect (mashed ?i))

  (:action wash
    :parameters (?i - item ?s - furniture)
    :precondition (and (robot-at ?s) (sink ?s) (holding ?i) (washable ?i))
    :effect (clean ?i))

  (:action wipe
    :parameters (?f - furniture ?c - item)
    :precondition (and (robot-at ?f) (holding ?c) (cloth ?c) (clean ?c))
    :effect (and (surface-clean ?f) (not (clean ?c))))

  (:action vacuum
    :parameters (?f - furniture ?v - item)
    :precondition (and (robot-at ?f) (carpet ?f) (holding ?v) (vacuum-cleaner ?v) (not (dust-bin-full ?v))
                       (not (carpet-clean ?f)))
    :effect (and (carpet-clean ?f) (dust-bin-full ?v)))

  (:action empty-vacuum
    :parameters (?v - item ?t - furniture)
    :precondition (and (robot-at ?t) (trash-can ?t) (holding ?v) (vacuum-cleaner ?v) (dust-bin-full ?v)
                       (not (furniture-closed ?t)))
    :effect (not (dust-bin-full ?v)))
)
