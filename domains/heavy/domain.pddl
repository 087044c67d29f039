; Heavy: items go into a box as a stack, each on top of a heavier one.
; Signatures as in Oswald et al. (ICAPS 2024), whose files name this domain "heavy-pack".
(define (domain heavy)
  (:requirements :strips :typing)

  (:types
    item
  )

  (:predicates
    (heavier ?item1 - item ?item2 - item)
    (packed ?item - item)
    (unpacked ?item - item)
    (nothing-above ?item - item)
    (box-empty)
  )

  (:action pack-first
    :parameters (?item - item)
    :precondition (and
      (box-empty)
    )
    :effect (and
      (packed ?item)
      (nothing-above ?item)
      (not (box-empty))
      (not (unpacked ?item))
    )
  )

  (:action stack
    :parameters (?bottom - item ?top - item)
    :precondition (and
      (packed ?bottom)
      (nothing-above ?bottom)
      (heavier ?bottom ?top)
      (unpacked ?top)
    )
    :effect (and
      (packed ?top)
      (nothing-above ?top)
      (not (nothing-above ?bottom))
      (not (unpacked ?top))
    )
  )
)
