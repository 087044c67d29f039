"""Text generation behind one protocol; importing this package loads neither torch nor transformers."""

from nl2pddl.generation.base import Backend, GenerationRequest
from nl2pddl.generation.factory import open_backend
from nl2pddl.generation.models import EMBEDDED, check_answers, check_grammar, check_model, embedded_gguf

__all__ = [
    "EMBEDDED", "Backend", "GenerationRequest", "check_answers", "check_grammar", "check_model", "embedded_gguf",
    "open_backend",
]  # fmt: skip
