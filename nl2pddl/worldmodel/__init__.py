"""Builds a whole planning domain with a model, tools and a person (Guan et al., NeurIPS 2023, "LLM-DM")."""
