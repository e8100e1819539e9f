"""`voice check` and `voice verifier`: check any answer, and test the model that checks.

Law: `check` opens no memory and stores nothing; its exit code says whether every claim is proven. `verifier` sends only
the program's own claims; what it can cost is said before, and what it cost is recorded like any other spending.

Source: DESIGN 6 "The judge is a product of its own"; DESIGN 6 "Calibration".
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voice.core.errors import ConfigurationError
from voice.core.report.values import dollars
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.interrupts import cancelled_by_sigterm
from voice.entrypoints.cli.terminal.printing import marks, note, print_result
from voice.entrypoints.cli.terminal.request_options import request_options
from voice.entrypoints.cli.terminal.runtime import (
    JsonCommand,
    JsonGroup,
    home_of,
    option,
    progress_of,
    read_settings,
    run,
)
from voice.requests import questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from voice.bootstrap import Services
    from voice.core.grounding.check import CheckedClaim, Fact
    from voice.core.grounding.values import Draft
    from voice.services.verification.draft_verification import Checked
    from voice.services.verification.outside_turns import Calibrated

_EXIT_NOT_PROVEN = 3  # as `ask` ends with a refusal
_MOST_BYTES = 8_000_000  # of an answer or of its facts; larger input is a mistake


@click.command(cls=JsonCommand)
@request_options(questions.CHECK)
@option(
    "--verifier name",
    "Who checks claims that are not quoted: none (default), auto (the verifier in the settings, if it passed its "
    "test), or llm (a language model).",
    "none|auto|llm",
)
@option("-m --model", "The model to ask; implies --verifier llm.", "PROVIDER/MODEL")
def check(answer: str, facts: str, question: str, name: str | None, model: str | None) -> int:
    """Check an answer against facts, claim by claim. It opens no memory and stores nothing.

    The answer is plain text that cites with markers such as [1] or [id]; if it cites nothing, voice checks each
    sentence against every fact. It may also be the JSON that models write for voice. The facts are a JSON list or JSON
    lines of texts or of objects with text, id, date and speaker, or plain text with one fact a paragraph.

    Without a verifier a claim is quoted word for word, unsupported, or unverified. The exit code is 0 if every claim is
    proven and no citation is invented, else 3.

    \b
    Examples:
      voice check --answer answer.txt --facts facts.json
      voice check --answer answer.txt --facts facts.jsonl -m gemini/gemini-2.5-flash --json
    """
    from voice.core.grounding.check import parse_answer, parse_facts

    if answer == facts == "-":  # one stream cannot be both
        raise click.UsageError("only one of --answer and --facts can be standard input")
    if model is not None and name not in (None, "llm"):
        raise click.UsageError(f"-m and --verifier {name} cannot be combined; choose one of them")
    said, held = parse_answer(_read(answer, "--answer")), parse_facts(_read(facts, "--facts"))
    checked = _checked(said, held, question, verifier=name or ("none" if model is None else "llm"), model=model)
    _tell(checked)
    print_result(lambda: forms.check.render_check(checked.report, checked.verification), _lines(checked))
    return 0 if checked.report.is_proven else _EXIT_NOT_PROVEN


def _read(name: str, option: str) -> str:
    """Return the text of a file or of standard input; click.UsageError if it is unreadable, too large or not UTF-8."""
    try:
        with Path(name).open("rb") if name != "-" else sys.stdin.buffer as file:
            data = file.read(_MOST_BYTES + 1)  # one more: to tell a file of just the most from a larger one
    except OSError as error:
        raise click.UsageError(f"{option} cannot be read: {error.strerror or type(error).__name__}") from None
    if len(data) > _MOST_BYTES:
        raise click.UsageError(
            f"{option} has more than {_MOST_BYTES // 1_000_000} MB; give only what you want to check"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{option} is not UTF-8 text (byte {error.start}); convert it first") from None


def _checked(
    answer: "str | Draft", facts: "Sequence[Fact]", question: str, *, verifier: str, model: str | None
) -> "Checked":
    import anyio

    async def alone() -> "Checked":
        from voice.adapters.system.clock_and_ids import SystemClock
        from voice.services.verification.draft_verification import Check

        with cancelled_by_sigterm():
            return await Check(clock=SystemClock())(answer, facts, question=question)

    async def with_verifier() -> "Checked":
        from voice import bootstrap
        from voice.wiring.data_directory import calibrations_of  # where a tested model's results are kept
        from voice.wiring.verification import standalone_check

        named = {"verifier.name": verifier, **({} if model is None else {"verifier.model": model})}
        settings = read_settings(named).settings  # of the data directory, if there is one; no store is opened
        with cancelled_by_sigterm():
            async with standalone_check(settings, calibrations_of(home_of()), bootstrap.make_llm) as service:
                if not service.asks:  # goes on: quotations need none
                    note("no model is set up to verify; name one with -m PROVIDER/MODEL")
                return await service(answer, facts, question=question)

    return anyio.run(alone if verifier == "none" else with_verifier)  # nothing else is loaded for the default


def _tell(checked: "Checked") -> None:
    """Say on stderr who was asked, what that cost, and why there is no opinion."""
    one = checked.verification
    if one is None:  # every claim was quoted, so nobody was asked
        return
    if unheard := forms.check.unheard_note(one):
        note(unheard)
        return
    if one.false_support is None:
        note(f"{one.verifier.label} was never tested here; `voice verifier check` tests it")
    note(f"voice asked {one.verifier.label} about {counted(one.asked, 'claim')}, for {dollars(checked.cost)}")


def _lines(checked: "Checked") -> "Iterator[str]":
    report = checked.report
    for claim in report.claims:
        yield from _claim_lines(claim)
    yield from (printable(f"✗ {wrong}") for wrong in report.invented)  # markers that name no fact
    proven = sum(claim.is_proven for claim in report.claims)
    claims = counted(len(report.claims), "claim")
    yield f"\n{proven} of {claims} proven, {report.coverage:.0%} of their words"


def _claim_lines(claim: "CheckedClaim") -> "Iterator[str]":
    from voice.core.grounding.answer_text import SIGN_OF_RUNG, marked

    signs = marks()
    quiet = f"{signs.styled(SIGN_OF_RUNG[claim.rung])} " if claim.is_proven else ""
    yield f"{quiet}{printable(signs.text(marked(claim.text, claim.rung)))}"
    yield from (f"    {printable(reason)}" for reason in claim.reasons)
    yield from (f"    {printable(signs.text(f'[{one.source_id}] “{one.span}”'))}" for one in claim.citations)


_EXIT_NOT_BELIEVED = 1  # other than 3: it is a fault of the model, not of an answer


@click.group(cls=JsonGroup)
def verifier() -> None:
    """Test the model that checks answers.

    \b
    Example: voice verifier check
    """


@verifier.command("check")
@option("-m --model", "Test this model instead of the one in the settings.", "PROVIDER/MODEL")
def check_verifier(model: str | None) -> int:
    """Test the verifier on 368 claims, half of them false.

    If the verifier accepts more than 1 in 10 of the false claims, voice does not trust it, and shows only sentences
    that quote your memory word for word as proven. The test sends nothing of your memory. The exit code is 0 if voice
    trusts it, else 1.

    \b
    Examples:
      voice verifier check
      voice verifier check -m gemini/gemini-2.5-flash
    """
    flags = {} if model is None else {"verifier.name": "llm", "verifier.model": model}
    calibrated = run(_calibrated, flags=flags)
    print_result(_json(calibrated), _calibration_lines(calibrated))
    return 0 if calibrated.record.is_believed else _EXIT_NOT_BELIEVED


async def _calibrated(services: "Services") -> "Calibrated":
    calibrating = services.makers.calibrating  # None: no verifier is set
    if calibrating is None:
        raise ConfigurationError(
            "no verifier is set, so there is nothing to test: name a model with -m PROVIDER/MODEL, or set "
            "SURR_VERIFIER or SURR_VERIFIER_MODEL"
        )
    calls = await calibrating.trials()
    foreseen = calibrating.foresee(calls)
    cost = f"{dollars(foreseen.expected)} expected, {dollars(foreseen.worst)} at most"  # told before the first call
    note(f"testing {calibrating.verifier.info.label}: {counted(len(calls), 'call')}, {cost}")
    with progress_of("testing") as testing:
        return await calibrating(calls, testing)


def _json(calibrated: "Calibrated") -> dict[str, object]:
    """Return a calibration as JSON values (schema: schemas/cli/verifier-check.schema.json)."""
    usage = calibrated.usage
    return {
        **forms.verification.render_calibration(calibrated.record),
        "follows": forms.verification.advice_of(calibrated.record),
        "by_kind": forms.verification.render_kinds(calibrated.by_kind),
        "calls": calibrated.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": None if calibrated.cost is None else f"{calibrated.cost:f}",
    }


def _calibration_lines(calibrated: "Calibrated") -> "Iterator[str]":
    yield printable(f"{calibrated.record.verifier} {forms.verification.belief_line(calibrated.record)}")
    if advice := forms.verification.advice_of(calibrated.record):
        yield printable(f"→ {advice}")
    yield f"\n{'kind':<16} {'false, let pass':>16} {'true, doubted':>16}"
    for kind, one in calibrated.by_kind.items():
        passed = f"{one.false_supported} of {one.false_claims}"
        doubted = f"{one.true_doubted} of {one.true_claims}"
        yield f"{kind:<16} {passed:>16} {doubted:>16}"
    usage = calibrated.usage
    tokens = f"{_known(usage.input_tokens)} tokens sent, {_known(usage.output_tokens)} received"
    yield f"\n{counted(calibrated.calls, 'call')}, {tokens}, {dollars(calibrated.cost)}"


def _known(count: int | None) -> str:
    return "an unknown number of" if count is None else str(count)
