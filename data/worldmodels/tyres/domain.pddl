;; A robot changes the wheels of a car with the tools in its boot.
(define (domain tyres-by-hand)
  (:requirements :strips :typing :negative-preconditions)
  (:types small-object container hub - object
          tool wheel nut - small-object
          jack wrench pump - tool)
  (:predicates
    (open ?c - container)
    (locked ?c - container)
    (stored ?o - small-object ?c - container)
    (in-hand ?o - small-object)
    (on-hub ?w - wheel ?h - hub)
    (free ?h - hub)
    (nut-on ?n - nut ?h - hub)
    (tight ?n - nut ?h - hub)
    (loose ?n - nut ?h - hub)
    (fastened ?h - hub)
    (jacked-up ?h - hub ?j - jack)
    (on-ground ?h - hub)
    (intact ?w - wheel)
    (inflated ?w - wheel))

  (:action open-container
    :parameters (?c - container)
    :precondition (and (not (open ?c)) (not (locked ?c)))
    :effect (open ?c))

  (:action close-container
    :parameters (?c - container)
    :precondition (open ?c)
    :effect (not (open ?c)))

  (:action fetch
    :parameters (?o - small-object ?c - container)
    :precondition (and (stored ?o ?c) (open ?c))
    :effect (and (in-hand ?o) (not (stored ?o ?c))))

  (:action put-away
    :parameters (?o - small-object ?c - container)
    :precondition (and (in-hand ?o) (open ?c))
    :effect (and (stored ?o ?c) (not (in-hand ?o))))

  (:action loosen
    :parameters (?n - nut ?h - hub ?w - wrench)
    :precondition (and (in-hand ?w) (tight ?n ?h) (on-ground ?h))
    :effect (and (loose ?n ?h) (not (tight ?n ?h))))

  (:action tighten
    :parameters (?n - nut ?h - hub ?w - wrench)
    :precondition (and (in-hand ?w) (loose ?n ?h) (on-ground ?h))
    :effect (and (tight ?n ?h) (not (loose ?n ?h))))

  (:action jack-up
    :parameters (?h - hub ?j - jack)
    :precondition (and (on-ground ?h) (in-hand ?j))
    :effect (and (jacked-up ?h ?j) (not (on-ground ?h)) (not (in-hand ?j))))

  (:action jack-down
    :parameters (?h - hub ?j - jack)
    :precondition (jacked-up ?h ?j)
    :effect (and (on-ground ?h) (in-hand ?j) (not (jacked-up ?h ?j))))

  (:action undo
    :parameters (?n - nut ?h - hub ?w - wrench ?j - jack)
    :precondition (and (in-hand ?w) (jacked-up ?h ?j) (loose ?n ?h))
    :effect (and (in-hand ?n) (not (nut-on ?n ?h)) (not (loose ?n ?h)) (not (fastened ?h))))

  (:action do-up
    :parameters (?n - nut ?h - hub ?w - wrench ?j - jack)
    :precondition (and (in-hand ?w) (in-hand ?n) (jacked-up ?h ?j) (not (fastened ?h)) (not (free ?h)))
    :effect (and (nut-on ?n ?h) (loose ?n ?h) (fastened ?h) (not (in-hand ?n))))

  (:action remove-wheel
    :parameters (?w - wheel ?h - hub ?j - jack)
    :precondition (and (on-hub ?w ?h) (jacked-up ?h ?j) (not (fastened ?h)))
    :effect (and (in-hand ?w) (free ?h) (not (on-hub ?w ?h))))

  (:action put-on-wheel
    :parameters (?w - wheel ?h - hub ?j - jack)
    :precondition (and (in-hand ?w) (free ?h) (jacked-up ?h ?j) (not (fastened ?h)))
    :effect (and (on-hub ?w ?h) (not (in-hand ?w)) (not (free ?h))))

  (:action inflate
    :parameters (?w - wheel ?p - pump)
    :precondition (and (in-hand ?p) (intact ?w) (not (inflated ?w)))
    :effect (inflated ?w))
)
