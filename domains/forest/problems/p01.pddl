; A pond lies between start and goal, and a hill on either way round it.
;   1  . ^ .
;   2  . ~ .
;   3  . ^ ^
;      a b c    (. wood, ^ hill, ~ water)
(define (problem forest-round-the-pond)
  (:domain forest)

  (:objects
    a1 b1 c1
    a2 b2 c2
    a3 b3 c3 - location
  )

  (:init
    (at a2)
    (ishill b1)
    (ishill b3)
    (ishill c3)
    (iswater b2)
    (ontrail a2 a1)
    (ontrail a1 b1)
    (ontrail b1 c1)
    (adjacent a1 b1) (adjacent b1 a1)
    (adjacent a1 a2) (adjacent a2 a1)
    (adjacent b1 c1) (adjacent c1 b1)
    (adjacent b1 b2) (adjacent b2 b1)
    (adjacent c1 c2) (adjacent c2 c1)
    (adjacent a2 b2) (adjacent b2 a2)
    (adjacent a2 a3) (adjacent a3 a2)
    (adjacent b2 c2) (adjacent c2 b2)
    (adjacent b2 b3) (adjacent b3 b2)
    (adjacent c2 c3) (adjacent c3 c2)
    (adjacent a3 b3) (adjacent b3 a3)
    (adjacent b3 c3) (adjacent c3 b3)
  )

  (:goal (and
    (at c2)
  ))
)
