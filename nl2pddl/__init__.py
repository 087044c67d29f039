"""From natural-language action descriptions to PDDL with language models, and a verdict for every action."""

__version__ = "0.1.0"
