; Away from home with one paper in hand. A second home base lies at the quarry, which is unsafe and a customer as well.
(define (problem delivery-second-base)
  (:domain delivery)

  (:objects
    home mill market quarry - location
    p1 p2 p3 - paper
  )

  (:init
    (at mill)
    (ishomebase home)
    (ishomebase quarry)
    (safe home)
    (safe mill)
    (safe market)
    (wantspaper market)
    (wantspaper quarry)
    (carrying p1)
    (unpacked p2)
    (unpacked p3)
  )

  (:goal (and
    (satisfied market)
    (satisfied quarry)
  ))
)
