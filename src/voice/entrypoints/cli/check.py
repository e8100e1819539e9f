"""`voice check`: the judge for an answer and facts of anybody's.

Law: no memory is opened and none is needed; nothing is stored. The exit code says whether every claim is proven, so
that a build can hang on it.

Source: DESIGN 6 "The judge is a product of its own".
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voice.core.text.display import counted
from voice.entrypoints.cli.printing import note, print_json, printable
from voice.entrypoints.cli.runtime import home_of, json_option, read_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from voice.core.grounding.check import CheckedClaim, Fact
    from voice.core.grounding.values import Draft
    from voice.services.verification.check import Checked

_EXIT_NOT_PROVEN = 3
_MOST_BYTES = 8_000_000


@click.command()
@click.option("--answer", "answer_file", required=True, metavar="FILE", help="The answer; - is standard input.")
@click.option("--facts", "facts_file", required=True, metavar="FILE", help="The facts it may use; - is standard input.")
@click.option("--question", default="", metavar="TEXT", help="The question; its words need no proof.")
@click.option(
    "--verifier",
    "name",
    metavar="none|auto|llm",
    help="Who is asked about claims that are not quoted: nobody (default), the one that is set if it is believed, or a "
    "language model.",
)
@click.option("-m", "--model", metavar="PROVIDER/MODEL", help="The model to ask; implies --verifier llm.")
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    answer_file: str,
    facts_file: str,
    question: str,
    name: str | None,
    model: str | None,
    as_json: bool,
) -> int:
    """Check an answer against facts, claim by claim. Opens no memory and stores nothing.

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
    from voice.core.grounding.check_input import parse_answer, parse_facts

    if answer_file == facts_file == "-":
        raise click.UsageError("only one of --answer and --facts can be standard input")
    if model is not None and name not in (None, "llm"):
        raise click.UsageError(
            f"-m names a language model, and --verifier {name} asks none that you name; say one of the two"
        )
    answer = parse_answer(_read(answer_file, "--answer"))
    facts = parse_facts(_read(facts_file, "--facts"))
    checked = _checked(ctx, answer, facts, question, verifier=name or ("none" if model is None else "llm"), model=model)
    _tell(checked)
    if as_json:
        from voice.core.render.check import render_check

        print_json(dict(render_check(checked.report, checked.verification)))
    else:
        _show(checked)
    return 0 if checked.report.is_proven else _EXIT_NOT_PROVEN


def _read(name: str, option: str) -> str:
    """Return the text of a file or of standard input.

    Raises:
        click.UsageError: it cannot be read, is too large, or is no UTF-8.
    """
    try:
        with Path(name).open("rb") if name != "-" else sys.stdin.buffer as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise click.UsageError(f"{option} cannot be read: {error.strerror or type(error).__name__}") from None
    if len(data) > _MOST_BYTES:
        raise click.UsageError(f"{option} has more than {_MOST_BYTES // 1_000_000} MB; give only what is to be checked")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{option} is not UTF-8 text (byte {error.start}); convert it first") from None


def _checked(
    ctx: click.Context,
    answer: "str | Draft",
    facts: "Sequence[Fact]",
    question: str,
    *,
    verifier: str,
    model: str | None,
) -> "Checked":
    import anyio

    from voice.entrypoints.cli.stopping import heeding_sigterm

    async def alone() -> "Checked":
        from voice.adapters.system.clock_and_ids import SystemClock
        from voice.services.verification.check import Check

        with heeding_sigterm():
            return await Check(clock=SystemClock())(answer, facts, question=question)

    async def with_verifier() -> "Checked":
        from voice import bootstrap
        from voice.wiring.calibrations import calibrations_of
        from voice.wiring.checking import check_alone

        named = {"verifier.name": verifier, **({} if model is None else {"verifier.model": model})}
        settings = read_settings(ctx, named).settings
        with heeding_sigterm():
            async with check_alone(settings, calibrations_of(home_of(ctx)), bootstrap.make_llm) as service:
                if not service.asks:
                    note("no model is set up to verify; name one with -m PROVIDER/MODEL")
                return await service(answer, facts, question=question)

    return anyio.run(alone if verifier == "none" else with_verifier)


def _tell(checked: "Checked") -> None:
    """Say on stderr who was asked, what that cost, and why there is no opinion."""
    from voice.core.render.check import unheard_note

    one = checked.verification
    if one is None:
        return
    if unheard := unheard_note(one):
        note(unheard)
        return
    if one.false_support is None:
        note(f"{one.verifier.label} was never tried here; `voice verifier check` tells how far to believe it")
    cost = "an unknown cost" if checked.cost is None else f"${checked.cost:.4f}"
    note(f"{one.verifier.label} was asked about {counted(one.asked, 'claim')}, for {cost}")


def _show(checked: "Checked") -> None:
    report = checked.report
    for claim in report.claims:
        _show_claim(claim)
    for wrong in report.invented:
        click.echo(printable(f"✗ {wrong}"))
    proven = sum(claim.is_proven for claim in report.claims)
    claims = counted(len(report.claims), "claim")
    click.echo(f"\n{proven} of {claims} proven, {report.coverage:.0%} of their words")


def _show_claim(claim: "CheckedClaim") -> None:
    from voice.core.grounding.answer_text import SIGN_OF_RUNG, marked
    from voice.entrypoints.cli.marks import marks

    signs = marks()
    quiet = f"{signs.styled(SIGN_OF_RUNG[claim.rung])} " if claim.is_proven else ""
    click.echo(f"{quiet}{printable(signs.text(marked(claim.text, claim.rung)))}")
    for reason in claim.reasons:
        click.echo(f"    {printable(reason)}")
    for one in claim.citations:
        click.echo(f"    {printable(signs.text(f'[{one.source_id}] “{one.span}”'))}")
