; Beside the empty box stands another one with a crate in it, so there are two stacks to build on. The books and the
; clock weigh the same: neither goes on top of the other.
(define (problem heavy-two-stacks)
  (:domain heavy)

  (:objects
    crate vice books clock quilt - item
  )

  (:init
    (box-empty)
    (packed crate)
    (nothing-above crate)
    (unpacked vice)
    (unpacked books)
    (unpacked clock)
    (unpacked quilt)
    (heavier crate vice)
    (heavier crate books)
    (heavier crate clock)
    (heavier crate quilt)
    (heavier vice books)
    (heavier vice clock)
    (heavier vice quilt)
    (heavier books quilt)
    (heavier clock quilt)
  )

  (:goal (and
    (packed vice)
    (packed books)
    (packed clock)
    (packed quilt)
  ))
)
