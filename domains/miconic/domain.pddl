; Miconic: a lift takes each passenger from the floor they wait on to the floor they want.
; (above ?floor1 ?floor2) says that floor2 lies above floor1: action up goes from floor1 to floor2.
; Signatures as in Oswald et al. (ICAPS 2024), whose files name this domain "miconic".
(define (domain miconic)
  (:requirements :strips :typing)

  (:types
    passenger floor - object
  )

  (:predicates
    (origin ?person - passenger ?floor - floor)
    (destin ?person - passenger ?floor - floor)
    (above ?floor1 - floor ?floor2 - floor)
    (boarded ?person - passenger)
    (served ?person - passenger)
    (lift-at ?floor - floor)
  )

  (:action board
    :parameters (?f - floor ?p - passenger)
    :precondition (and
      (lift-at ?f)
      (origin ?p ?f)
    )
    :effect (and
      (boarded ?p)
    )
  )

  (:action depart
    :parameters (?f - floor ?p - passenger)
    :precondition (and
      (lift-at ?f)
      (destin ?p ?f)
      (boarded ?p)
    )
    :effect (and
      (served ?p)
      (not (boarded ?p))
    )
  )

  (:action up
    :parameters (?f1 - floor ?f2 - floor)
    :precondition (and
      (lift-at ?f1)
      (above ?f1 ?f2)
    )
    :effect (and
      (lift-at ?f2)
      (not (lift-at ?f1))
    )
  )

  (:action down
    :parameters (?f1 - floor ?f2 - floor)
    :precondition (and
      (lift-at ?f1)
      (above ?f2 ?f1)
    )
    :effect (and
      (lift-at ?f2)
      (not (lift-at ?f1))
    )
  )
)
