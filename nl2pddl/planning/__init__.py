"""Plans: finding the top-k with K*, and checking one against a task."""
