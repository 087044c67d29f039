"""Protocol ``published``: what the published code of Oswald et al. (2024) makes of an output, rule by rule.

Written from the behaviour of that code and of the versions it pins (``pddl`` between 0.3.1 and 0.4.0, K*, VAL), so that
its verdicts can be reproduced without them. The table of rules is in ``nl2pddl.rules``.
"""
