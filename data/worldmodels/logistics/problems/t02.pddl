(define (problem logistics-t02)
  (:domain logistics-by-hand)
  (:objects
    paris rome - city
    cdg louvre bastille fco forum trevi - location
    truck-p truck-r - truck
    jet - plane
    letter - package)
  (:init
    (in-city cdg paris) (in-city louvre paris) (in-city bastille paris) (in-city fco rome) (in-city forum rome)
    (in-city trevi rome) (airport cdg) (airport fco) (truck-at truck-p cdg) (truck-at truck-r fco)
    (plane-at jet cdg) (package-at letter cdg))
  (:goal (package-at letter fco)))
