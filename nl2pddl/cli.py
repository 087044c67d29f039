"""The command line: the dashboard's functions without a browser. Exit status 0 done, 1 a failure, 2 wrong input."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from nl2pddl import __version__, study
from nl2pddl.commands import compare, evaluate, run, transfer, validate, worldmodel_forms
from nl2pddl.commands.options import add_store, add_validator
from nl2pddl.errors import InputError, NL2PDDLError
from nl2pddl.exact import ExactLimits
from nl2pddl.experiment import ChatMode, Decoding, Precision, RunConfig, RunKind
from nl2pddl.records import DescriptionClass, EvaluationSettings, Protocol, ValidatorChoice
from nl2pddl.runs import MOST_ROUNDS
from nl2pddl.settings import load_settings
from nl2pddl.store.exports import FORMATS

FAILURE, WRONG_INPUT = 1, 2
MOST_WORKERS = 1000
_GRAMMARS = {"off": (False,), "on": (True,), "both": (False, True)}
_GENERATION = (
    "model", "domain", "description", "prompts", "seed", "context", "name", "max_new_tokens", "batch_size",
    "temperature", "top_p", "samples", "chat", "precision", "grammar", "rounds", "whole_domain",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status; an error is one line on standard error."""
    try:
        options = build_parser().parse_args(arguments)
        status: int = options.command(options)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG_INPUT
    except NL2PDDLError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILURE
    except OSError as error:
        print(f"error: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return FAILURE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return FAILURE
    return status


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = argparse.ArgumentParser(prog="python -m nl2pddl", description="From natural language to PDDL, judged.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_run(commands)
    _add_evaluate(commands)
    _add_validate(commands)
    _add_compare(commands)
    _add_transfer(commands)
    worldmodel_forms.add_forms(commands)
    return parser


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    settings, decoding = load_settings(), Decoding()
    command = commands.add_parser("run", help="generate actions with a model and judge them")
    command.add_argument(
        "--model", action="append", metavar="M",
        help="a name of the model list, Hub id, folder, .gguf file, URL#MODEL of a server, replay:FILE or "
        "scripted:FILE; repeat for several (default: the embedded model)",
    )  # fmt: skip
    command.add_argument(
        "--domain", action="append", metavar="D",
        help="a domain, 'all', or a domain's anonymised twin such as blocksworld~nonsense~7; repeat for several",
    )  # fmt: skip
    command.add_argument(
        "--description", action="append", choices=[name.value for name in DescriptionClass],
        help="a description class; repeat for several (default: base)",
    )  # fmt: skip
    command.add_argument(
        "--prompts", type=int, metavar="N", help="prompts an action and description class (default: 1)"
    )
    command.add_argument("--seed", type=int, metavar="S", help="draws the context examples (default: 0)")
    command.add_argument("--context", type=int, metavar="N", help="context examples a prompt (default: 3)")
    command.add_argument("--name", metavar="TEXT", help="a name for the run")
    command.add_argument(
        "--max-new-tokens", type=int, metavar="N", help=f"tokens an answer (default: {decoding.max_new_tokens})"
    )
    command.add_argument(
        "--batch-size", type=int, metavar="N", help=f"prompts generated at once (default: {decoding.batch_size})"
    )
    _add_decoding_options(command)
    _add_evaluation_options(command)
    command.add_argument("--domains", type=Path, default=settings.domains_dir, metavar="DIR", help="domain folders")
    command.add_argument("--data", type=Path, default=settings.data_dir, metavar="DIR", help="converted models")
    add_store(command)
    command.add_argument("--resume", metavar="RUN", help="go on with a run of the store, with its own configuration")
    command.set_defaults(command=_run)


def _add_decoding_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--temperature", type=float, metavar="T", help="0 is greedy, the paper's way (default: 0)")
    command.add_argument("--top-p", type=float, metavar="P", help="sample from this share of the mass (default: 1)")
    command.add_argument("--samples", type=int, metavar="N", help="answers to each prompt; needs a temperature")
    command.add_argument(
        "--chat", choices=[mode.value for mode in ChatMode],
        help="raw: the prompt as it is; template: as a message in the model's chat template (default: raw)",
    )  # fmt: skip
    command.add_argument(
        "--precision", choices=[name.value for name in Precision],
        help="auto: 4-bit where the full numbers do not fit (default: auto)",
    )  # fmt: skip
    command.add_argument(
        "--grammar", nargs="?", const="on", choices=list(_GRAMMARS),
        help="hold decoding to valid actions; both: with and without, side by side",
    )  # fmt: skip
    command.add_argument(
        "--rounds", type=int, metavar="N",
        help=f"correct a failed answer up to N times, at most {MOST_ROUNDS} (default: 0)",
    )  # fmt: skip
    command.add_argument(
        "--whole-domain", action="store_const", const=True,
        help="generate all actions of a domain one after another, and judge the domain",
    )  # fmt: skip
    command.add_argument(
        "--dry-run", action="store_true", help="only three prompts a model, and an estimate for the whole run"
    )


def _add_evaluate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser("evaluate", help="judge outputs from a file")
    command.add_argument("outputs", type=Path, help='JSONL, a line {"domain", "action", "output"} each')
    command.add_argument(
        "--domains", type=Path, metavar="DIR",
        help="domain folders (default: the project's, and those added in the browser)",
    )  # fmt: skip
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="the same lines with their verdicts")
    _add_evaluation_options(command)
    command.set_defaults(command=_evaluate)


def _add_evaluation_options(command: argparse.ArgumentParser) -> None:
    settings, evaluation = load_settings(), EvaluationSettings()
    command.add_argument(
        "--protocol", choices=[name.value for name in Protocol], default=evaluation.protocol.value,
        help="strict: the paper's definitions; published: what the published code does (default: strict)",
    )  # fmt: skip
    command.add_argument(
        "--exact", action="store_true", help="also decide exactly whether the two domains have the same plans"
    )
    _add_exact_limits(command, "--exact-")
    add_validator(command)
    command.add_argument(
        "--dask", metavar="ADDRESS", default=settings.dask, help="judge on the workers of this Dask scheduler"
    )
    command.add_argument("--k", type=int, metavar="K", help=f"plans a problem and domain (default: {evaluation.k})")
    command.add_argument(
        "--seconds", type=float, metavar="S", help=f"limit of one planner call (default: {evaluation.seconds:g})"
    )
    command.add_argument(
        "--memory-mb", type=int, metavar="MB", help=f"limit of one planner call (default: {evaluation.memory_mb})"
    )
    command.add_argument(
        "--no-cache", action="store_true", help="plan and compare even where the class is already clear"
    )
    command.add_argument(
        "--workers",
        type=int,
        default=settings.workers,
        metavar="N",
        help=f"judging processes (default: {settings.workers})",
    )


def _add_exact_limits(command: argparse.ArgumentParser, prefix: str) -> None:
    default = EvaluationSettings()
    command.add_argument(
        f"{prefix}states", type=int, default=default.exact_states, metavar="N",
        help=f"limit of the exact decision a problem (default: {default.exact_states})",
    )  # fmt: skip
    command.add_argument(
        f"{prefix}seconds", type=float, default=default.exact_seconds, metavar="S",
        help=f"limit of the exact decision a problem (default: {default.exact_seconds:g})",
    )  # fmt: skip


def _add_validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser("validate", help="check plans against a domain and a problem")
    command.add_argument("domain", type=Path)
    command.add_argument("problem", type=Path)
    command.add_argument("plan", type=Path, nargs="+")
    command.add_argument("--json", action="store_true", help="one JSON line a plan")
    add_validator(command)
    command.set_defaults(command=_validate)


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser("compare", help="decide exactly whether two domains have the same plans")
    command.add_argument("domain_a", type=Path)
    command.add_argument("domain_b", type=Path)
    command.add_argument("problem", type=Path, nargs="+")
    command.add_argument("--json", action="store_true", help="one JSON line a problem")
    _add_exact_limits(command, "--")
    command.set_defaults(command=_compare)


def _add_transfer(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser("import-results", help="store published results (CSV) as a run")
    command.add_argument("file", type=Path, metavar="CSV", help=f"with the columns {','.join(study.COLUMNS)}")
    add_store(command)
    command.set_defaults(command=lambda options: transfer.import_file(options.file, options.store))
    for name, does, forms, text in (
        ("export", transfer.export_runs, FORMATS, "write verdicts to a file"),
        ("report", transfer.report, transfer.REPORTS, "write a report on runs to a file"),
    ):
        command = commands.add_parser(name, help=text)
        add_store(command)
        command.add_argument("--runs", default="all", metavar="ID,…", help="all, or IDs of runs (default: all)")
        command.add_argument("--format", choices=forms, required=True)
        command.add_argument("--out", type=Path, required=True, metavar="FILE")
        command.set_defaults(command=_with_runs(does))
    command = commands.add_parser("delete", help="take runs out of the store for good")
    command.add_argument("run", nargs="+", metavar="ID", help="a run, as `run` and `import-results` print it")
    add_store(command)
    command.set_defaults(command=lambda options: transfer.delete_runs(options.store, options.run))


def _with_runs(does: Callable[[Path, str, str, Path], int]) -> Callable[[argparse.Namespace], int]:
    return lambda options: does(options.store, options.runs, options.format, options.out)


def _evaluation_settings(options: argparse.Namespace) -> EvaluationSettings:
    default = EvaluationSettings()
    chosen = EvaluationSettings(
        protocol=Protocol(options.protocol),
        k=default.k if options.k is None else options.k,
        seconds=default.seconds if options.seconds is None else options.seconds,
        memory_mb=default.memory_mb if options.memory_mb is None else options.memory_mb,
        shortcuts=not options.no_cache,
        validator=ValidatorChoice(options.validator),
        exact=options.exact,
        exact_states=options.exact_states,
        exact_seconds=options.exact_seconds,
    )
    faults = chosen.faults()
    if not 0 < options.workers <= MOST_WORKERS:
        faults.append(f"--workers must be from 1 to {MOST_WORKERS}")
    if faults:
        raise InputError("; ".join(faults), faults)
    return chosen


def _run(options: argparse.Namespace) -> int:
    settings = load_settings()
    settings = type(settings)(options.data, options.domains, options.store, options.workers, options.dask)
    evaluation = _evaluation_settings(options)
    if options.resume is not None:
        given = [f"--{name.replace('_', '-')}" for name in _GENERATION if getattr(options, name) is not None]
        given += ["--dry-run"] if options.dry_run else []
        if given:
            raise InputError(f"--resume takes the configuration from the store; leave out {', '.join(given)}")
        if evaluation != EvaluationSettings():
            raise InputError("--resume takes the configuration from the store; leave out the options of evaluation")
        return run.resume(settings, options.resume)
    return run.launch(settings, lambda domains: _config(options, evaluation, domains), dry=options.dry_run)


def _config(options: argparse.Namespace, evaluation: EvaluationSettings, domains: Sequence[str]) -> RunConfig:
    asked = options.domain or []
    return RunConfig(
        models=tuple(options.model or [run.EMBEDDED]),
        domains=tuple(name for one in asked for name in (domains if one == "all" else [one])),
        descriptions=tuple(DescriptionClass(name) for name in options.description or [DescriptionClass.BASE]),
        prompts=1 if options.prompts is None else options.prompts,
        seed=options.seed or 0,
        context_examples=3 if options.context is None else options.context,
        name=options.name or "",
        decoding=_decoding(options),
        evaluation=evaluation,
        kind=RunKind.DOMAIN if options.whole_domain else RunKind.ACTIONS,
        draws=1 if options.samples is None else options.samples,
        grammars=_GRAMMARS[options.grammar or "off"],
        rounds=options.rounds or 0,
    )


def _decoding(options: argparse.Namespace) -> Decoding:
    names = ("max_new_tokens", "batch_size", "temperature", "top_p")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return Decoding(**given, chat=ChatMode(options.chat or "raw"), precision=Precision(options.precision or "auto"))


def _evaluate(options: argparse.Namespace) -> int:
    domains = (options.domains,) if options.domains else load_settings().domain_folders
    return evaluate.evaluate_file(
        options.outputs, domains, options.out, _evaluation_settings(options), options.workers, options.dask
    )


def _validate(options: argparse.Namespace) -> int:
    choice = ValidatorChoice(options.validator)
    return validate.validate_plans(
        options.domain, options.problem, options.plan, as_json=options.json, validator=choice
    )


def _compare(options: argparse.Namespace) -> int:
    limits = ExactLimits(options.states, options.seconds)
    return compare.compare_domains(options.domain_a, options.domain_b, options.problem, limits, as_json=options.json)
