; The hikers start on a hill and want to reach a lake in the far corner; another lake lies across the straight way.
;   1  ^ . ~ . .
;   2  . ^ ~ . ^
;   3  . . . ^ .
;   4  ~ . ^ . ~
;      a b c d e    (. wood, ^ hill, ~ water)
(define (problem forest-far-lake)
  (:domain forest)

  (:objects
    a1 b1 c1 d1 e1
    a2 b2 c2 d2 e2
    a3 b3 c3 d3 e3
    a4 b4 c4 d4 e4 - location
  )

  (:init
    (at a1)
    (ishill a1)
    (ishill b2)
    (ishill e2)
    (ishill d3)
    (ishill c4)
    (iswater c1)
    (iswater c2)
    (iswater a4)
    (iswater e4)
    (ontrail a1 a2)
    (ontrail a2 a3)
    (ontrail a3 b3)
    (ontrail b3 c3)
    (adjacent a1 b1) (adjacent b1 a1)
    (adjacent a1 a2) (adjacent a2 a1)
    (adjacent b1 c1) (adjacent c1 b1)
    (adjacent b1 b2) (adjacent b2 b1)
    (adjacent c1 d1) (adjacent d1 c1)
    (adjacent c1 c2) (adjacent c2 c1)
    (adjacent d1 e1) (adjacent e1 d1)
    (adjacent d1 d2) (adjacent d2 d1)
    (adjacent e1 e2) (adjacent e2 e1)
    (adjacent a2 b2) (adjacent b2 a2)
    (adjacent a2 a3) (adjacent a3 a2)
    (adjacent b2 c2) (adjacent c2 b2)
    (adjacent b2 b3) (adjacent b3 b2)
    (adjacent c2 d2) (adjacent d2 c2)
    (adjacent c2 c3) (adjacent c3 c2)
    (adjacent d2 e2) (adjacent e2 d2)
    (adjacent d2 d3) (adjacent d3 d2)
    (adjacent e2 e3) (adjacent e3 e2)
    (adjacent a3 b3) (adjacent b3 a3)
    (adjacent a3 a4) (adjacent a4 a3)
    (adjacent b3 c3) (adjacent c3 b3)
    (adjacent b3 b4) (adjacent b4 b3)
    (adjacent c3 d3) (adjacent d3 c3)
    (adjacent c3 c4) (adjacent c4 c3)
    (adjacent d3 e3) (adjacent e3 d3)
    (adjacent d3 d4) (adjacent d4 d3)
    (adjacent e3 e4) (adjacent e4 e3)
    (adjacent a4 b4) (adjacent b4 a4)
    (adjacent b4 c4) (adjacent c4 b4)
    (adjacent c4 d4) (adjacent d4 c4)
    (adjacent d4 e4) (adjacent e4 d4)
  )

  (:goal (and
    (at e4)
  ))
)
