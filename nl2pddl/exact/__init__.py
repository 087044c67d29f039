"""The exact decision: have two domains the same set of plans for a problem, and if not, which shortest plan tells them
apart?

On a finite problem a domain is a deterministic automaton whose letters are the ground actions and whose words are the
plans, so this can be decided. ``grounding`` finds each domain's ground actions, ``automaton`` packs its states into
bits, ``decision`` walks both automata at once, breadth first, with the pairs seen kept in ``pairs``; ``limits`` bounds
all of it.
"""

from __future__ import annotations

from nl2pddl.exact.decision import decide
from nl2pddl.exact.limits import ExactLimits

__all__ = ["ExactLimits", "decide"]
