"""Measurements of speed, as ratios within one run. ``make bench`` runs them all; no test asserts a time."""
