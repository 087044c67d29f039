;; Packages go by truck within a city and by airplane between cities.
(define (domain logistics-by-hand)
  (:requirements :strips :typing)
  (:types truck plane package location city)
  (:predicates
    (package-at ?p - package ?l - location)
    (truck-at ?t - truck ?l - location)
    (plane-at ?a - plane ?l - location)
    (package-in-truck ?p - package ?t - truck)
    (package-in-plane ?p - package ?a - plane)
    (airport ?l - location)
    (in-city ?l - location ?c - city))

  (:action load-truck
    :parameters (?p - package ?t - truck ?l - location)
    :precondition (and (package-at ?p ?l) (truck-at ?t ?l))
    :effect (and (package-in-truck ?p ?t) (not (package-at ?p ?l))))

  (:action unload-truck
    :parameters (?p - package ?t - truck ?l - location)
    :precondition (and (package-in-truck ?p ?t) (truck-at ?t ?l))
    :effect (and (package-at ?p ?l) (not (package-in-truck ?p ?t))))

  (:action load-airplane
    :parameters (?p - package ?a - plane ?l - location)
    :precondition (and (package-at ?p ?l) (plane-at ?a ?l))
    :effect (and (package-in-plane ?p ?a) (not (package-at ?p ?l))))

  (:action unload-airplane
    :parameters (?p - package ?a - plane ?l - location)
    :precondition (and (package-in-plane ?p ?a) (plane-at ?a ?l))
    :effect (and (package-at ?p ?l) (not (package-in-plane ?p ?a))))

  (:action drive-truck
    :parameters (?t - truck ?from - location ?to - location ?c - city)
    :precondition (and (truck-at ?t ?from) (in-city ?from ?c) (in-city ?to ?c))
    :effect (and (truck-at ?t ?to) (not (truck-at ?t ?from))))

  (:action fly-airplane
    :parameters (?a - plane ?from - location ?to - location)
    :precondition (and (plane-at ?a ?from) (airport ?to))
    :effect (and (plane-at ?a ?to) (not (plane-at ?a ?from))))
)
