"""The grammars' own words, without a model: what llguidance lets through is what the checks of `strict` let through."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import llguidance
import pytest

from nl2pddl.action_reader import read_action
from nl2pddl.domains import DomainLibrary
from nl2pddl.extraction import extract_action
from nl2pddl.grammar import MOST_PARAMETERS, ActionGrammar
from nl2pddl.pddl_io import parse_domain
from nl2pddl.semantics import check_action
from nl2pddl.task import PlanningDomain

WITH_CONSTANTS = """
(define (domain house) (:requirements :strips :typing :negative-preconditions)
  (:types room thing - object cup - thing)
  (:constants hall - room)
  (:predicates (in ?t - thing ?r - room) (dark) (near ?a ?b))
  (:action carry :parameters (?t - thing ?r - room) :precondition (in ?t hall) :effect (in ?t ?r)))
"""
BARE = "(define (domain bare) (:requirements :strips) (:predicates (p ?x)) (:action go :parameters () :effect (and)))"


@cache
def byte_tokens() -> Any:
    """A tokenizer of the 256 bytes and the end of text: the worst there is for a limit of tokens."""

    class Bytes:
        eos_token_id = 256
        bos_token_id = None
        tokens = [bytes([value]) for value in range(256)] + [b"<end>"]
        special_token_ids = (256,)

        def __call__(self, text: str | bytes) -> list[int]:
            return list(text if isinstance(text, bytes) else text.encode())

    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(Bytes()))


def write(grammar: ActionGrammar, tokens: int, rng: random.Random, dislike: bytes = b"") -> bytes:
    """An answer of at most ``tokens`` bytes, drawn at random; what is in ``dislike`` is taken only where nothing else
    is allowed."""
    written, key, matcher = b"", None, None
    while len(written) < tokens:
        stage = grammar.stage(written.decode(), tokens - len(written))
        if stage.key != key:
            key = stage.key
            matcher = llguidance.LLMatcher(byte_tokens(), llguidance.LLMatcher.grammar_from_lark(stage.lark))
            matcher.consume_tokens(list(written))
        assert not matcher.is_error(), matcher.get_error()
        if matcher.is_stopped():
            break
        mask = matcher.compute_bitmask()
        allowed = [token for token in range(256) if mask[token // 8] >> token % 8 & 1]
        liked = [token for token in allowed if token not in dislike]
        if not allowed or (matcher.is_accepting() and not liked):
            break
        chosen = rng.choice(liked or allowed)
        matcher.consume_token(chosen)
        written += bytes([chosen])
    return written


def faults(text: bytes, domain: PlanningDomain, action: str) -> list[str]:
    group = extract_action(text.decode()).group
    assert group is not None, text
    read, problems = read_action(group)
    found = [problem.message for problem in problems]
    return found if read is None else found + [problem.message for problem in check_action(read, domain, action)]


@pytest.mark.parametrize(
    ("dislike", "seeds"),
    [(b"", 8), (b")", 3), (b") (", 3), (b")?", 3), (b"abcdefghijklmnopqrstuvwxyz", 3)],
    ids=["at random", "never closing", "one word for ever", "literals for ever", "short names"],
)
def test_whatever_is_preferred_the_action_is_valid_and_closed(
    library: DomainLibrary, dislike: bytes, seeds: int
) -> None:
    for domain in library.domains.values():
        for action in domain.planning.actions:
            grammar = ActionGrammar(domain.planning, action)
            for seed in range(seeds):
                limit = 300 if seed % 2 else grammar.least_tokens
                text = write(grammar, limit, random.Random(seed), dislike)
                assert text.rstrip().endswith(b")"), (limit, text)
                assert faults(text, domain.planning, action) == [], text


def test_constants_negated_preconditions_and_object() -> None:
    domain = parse_domain(WITH_CONSTANTS, "house")
    grammar = ActionGrammar(domain, "carry")
    texts = [write(grammar, 600, random.Random(seed)) for seed in range(150)]
    assert [fault for text in texts for fault in faults(text, domain, "carry")] == []
    together = b"".join(texts)
    for part in (b" hall)", b"(dark)", b":precondition (not ", b"- object", b"- cup"):
        assert part in together
    assert grammar.types == ("cup", "room", "thing", "object")
    assert b"(not" not in b"".join(
        write(ActionGrammar(parse_domain(BARE, "bare"), "go"), 400, random.Random(seed)).split(b":effect")[0]
        for seed in range(20)
    )


def test_a_domain_without_types_and_without_parameters() -> None:
    domain = parse_domain(BARE, "bare")
    grammar = ActionGrammar(domain, "go")
    texts = {write(grammar, 400, random.Random(seed)) for seed in range(60)}
    assert [fault for text in texts for fault in faults(text, domain, "go")] == []
    assert any(b":parameters ()" in text and b":effect (and)" in text for text in texts)
    assert not any(b" - " in text for text in texts)


def test_a_name_is_given_once(library: DomainLibrary) -> None:
    domain = library.find("blocksworld").planning
    grammar = ActionGrammar(domain, "stack")
    stage = grammar.stage("(:action stack\n    :parameters (?x - block ?y - block", 200)
    for name, accepted in (("x", False), ("y", False), ("z", True), ("x2", True)):
        matcher = llguidance.LLMatcher(byte_tokens(), llguidance.LLMatcher.grammar_from_lark(stage.lark))
        text = f"(:action stack\n    :parameters (?x - block ?{name} - block)"
        matcher.consume_tokens(list(text.encode()))
        assert matcher.is_error() is not (accepted or name == "y"), name


def test_the_parameters_are_bounded(library: DomainLibrary) -> None:
    domain = library.find("blocksworld").planning
    names = " ".join(f"?x{number} - block" for number in range(MOST_PARAMETERS))
    stage = ActionGrammar(domain, "stack").stage(f"(:action stack\n    :parameters ({names[:-8]}", 5000)
    matcher = llguidance.LLMatcher(byte_tokens(), llguidance.LLMatcher.grammar_from_lark(stage.lark))
    matcher.consume_tokens(list(f"(:action stack\n    :parameters ({names}".encode()))
    assert not matcher.is_error()
    assert [chr(token) for token in range(256) if matcher.compute_bitmask()[token // 8] >> token % 8 & 1] == [")"]


def test_the_ground_truth_is_among_what_can_be_written(library: DomainLibrary) -> None:
    from nl2pddl.actions import action_pddl

    for domain in library.domains.values():
        for name, action in domain.planning.actions.items():
            grammar = ActionGrammar(domain.planning, name)
            text = action_pddl(action, types=bool(domain.planning.types), compact=True)
            for end in range(len(text) + 1):
                stage = grammar.stage(text[:end], 2000)
                matcher = llguidance.LLMatcher(byte_tokens(), llguidance.LLMatcher.grammar_from_lark(stage.lark))
                assert matcher.validate_tokens(list(text[:end].encode())) == end, text[:end]
            assert matcher.consume_tokens(list(text.encode()))
            assert matcher.is_accepting()


def test_the_grammar_for_servers_is_valid_and_holds_the_shape(library: DomainLibrary) -> None:
    from llguidance.gbnf_to_lark import gbnf_to_lark

    domain = library.find("gripper").planning
    lark = gbnf_to_lark(ActionGrammar(domain, "move").gbnf)
    right = b"(:action move\n    :parameters (?x - room ?y - room)\n    :precondition (and (at-robby ?x))\n" + (
        b"    :effect (and (not (at-robby ?x)) (at-robby ?y)))"
    )
    for text, accepted in ((right, True), (right.replace(b"?y - room", b"?a - room"), False)):
        matcher = llguidance.LLMatcher(byte_tokens(), llguidance.LLMatcher.grammar_from_lark(lark))
        assert (matcher.validate_tokens(list(text)) == len(text)) is accepted
