; At home with one paper in hand. The customer at the unsafe location comes last, and did not even ask for a paper. The
; home base wants one too, but that is left for later: it must still want one in the end.
(define (problem delivery-unsafe-last)
  (:domain delivery)

  (:objects
    home market quarry - location
    p1 p2 p3 - paper
  )

  (:init
    (at home)
    (ishomebase home)
    (safe home)
    (safe market)
    (wantspaper home)
    (wantspaper market)
    (carrying p1)
    (unpacked p2)
    (unpacked p3)
  )

  (:goal (and
    (satisfied market)
    (satisfied quarry)
    (wantspaper home)
  ))
)
