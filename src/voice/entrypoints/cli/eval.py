"""`voice eval`: an exam of a memory in questions that are made of its own rows.

Law: nothing is written into the memory. What it can cost is said before a model that costs something is asked, and
asked only with consent. What is kept of a run is figures and keyed hashes, for the next to be held against.
"""

import sys
from textwrap import fill
from typing import TYPE_CHECKING, Unpack

import click

from voice.core.messages.showing import EXAM_KINDS, EXAM_MADE, EXAM_NOT_SHOWN, EXAM_OUTCOMES
from voice.core.report.values import dollars
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.ask import model_flags
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import note, print_json, wants_json
from voice.entrypoints.cli.terminal.request_options import ReadingScope, default_scope, named_scope, reading_options
from voice.entrypoints.cli.terminal.runtime import JsonCommand, flag, option, progress_of, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.exam.results import Outcome
    from voice.services.maintenance.exam import Exam, Examined, RunExam

EXIT_WORSE = 10  # 1 is any other failure
_TEXT_WIDTH = 100  # columns of explanations


@click.command(cls=JsonCommand)
@option("--n", "How many questions to ask.", type=click.IntRange(5, 1000), default=50)
@option(
    "--seed", "Seed of the questions; another seed gives other questions.", type=click.IntRange(0, 2**31), default=0
)
@option(
    "--at-least",
    "Pass if at least this share comes out right, whatever the last run was.",
    "PERCENT",
    type=click.FloatRange(0, 100),
)
@flag("--list lists", "Print each question and its result.")
@flag("--yes", "Do not ask before voice calls a paid model.")
@option("-m --model", "Use this model for this run.", "PROVIDER/MODEL")
@reading_options
def eval_(
    n: int, seed: int, at_least: float | None, lists: bool, yes: bool, model: str | None, **where: Unpack[ReadingScope]
) -> int:
    """Test answers with questions made from your own notes.

    Some questions have an answer: asked directly, or with its date. Some have none: a near miss, or something asked of
    the wrong person. The report counts what was found, wrongly answered and needlessly refused, and what it cost, and
    compares that with the last run. The same notes and the same seed give the same questions. It writes nothing into
    your memory or your history.

    The exit code is 0 if the questions of both runs did not come out worse, else 10. With --at-least, that share
    decides instead. Voice keeps every complete run, even if it is worse, and compares the next run with it.

    \b
    Examples:
      voice eval
      voice eval --n 100 --at-least 70 --json
      voice eval --list -m gemini/gemini-2.5-flash --yes
    """
    scope, here = named_scope(where), default_scope()

    async def work(services: "Services") -> "Examined":
        examining = services.makers.examining()
        exam = await examining.prepare(n, seed=seed, scope=scope, surroundings=here)
        if len(exam.questions) < n:
            note(f"your notes give only {counted(len(exam.questions), 'question')} of the {n} you asked for")
        await _agree(examining, exam, is_agreed=yes)
        with progress_of("asking") as asking:
            return await examining(exam, asking)

    examined = run(work, flags=model_flags(model), gated=True)
    why = _why_failed(examined, at_least)
    if wants_json():
        print_json(forms.reports.render_exam(examined.run, examined.exam.questions, examined.diff, passed=why is None))
    else:
        _show(examined, lists=lists)
    if why is not None:
        note(why)
    return 0 if why is None else EXIT_WORSE


async def _agree(examining: "RunExam", exam: "Exam", *, is_agreed: bool) -> None:
    """Say what a model that may cost something would cost, and ask whether to continue; click.Abort if not."""
    if not examining.may_cost:  # free or offline: nothing to consent to
        return
    cost = await examining.foresee(exam)
    asked = counted(len(exam.questions), "question")
    note(f"{asked} to {examining.model}: {dollars(cost.expected)} expected, {dollars(cost.worst)} at most")
    if is_agreed:
        return
    if not sys.stdin.isatty():  # no answer is no consent
        raise click.UsageError("this may cost money; confirm with --yes")
    click.confirm("Ask the questions", default=False, err=True, abort=True)


def _why_failed(examined: "Examined", at_least: float | None) -> str | None:
    """Return why the exam was not passed; None: it was, also where there is no run to compare it with."""
    share = 100 * examined.run.all.share
    if at_least is not None:
        told = f"{share:.1f} % came out right, but --at-least requires {at_least:g} %"
        return told if share < at_least else None
    is_worse = examined.diff is not None and examined.diff.is_worse
    return "the questions that both runs asked came out worse; `voice eval --list` shows each" if is_worse else None


def _show(examined: "Examined", *, lists: bool) -> None:
    click.echo(f"An exam of {examined.run.rows:,} of your sentences, seed {examined.run.seed}\n")
    _print_table(forms.reports.exam_table(examined.run, examined.diff))
    click.echo()
    for line in forms.reports.exam_lines(examined.run):
        click.echo(line)
    for line in forms.reports.diff_lines(examined.diff, examined.exam.questions):
        click.echo(printable(line))
    if lists:
        _list(examined)
    for text in (EXAM_MADE, EXAM_NOT_SHOWN):
        click.echo(f"\n{fill(text, _TEXT_WIDTH)}")


def _print_table(lines: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]  # the widest cell of each column
    for first, *others in lines:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        click.echo("  ".join((first.ljust(widths[0]), *cells)))


def _list(examined: "Examined") -> None:
    outcomes: dict[str, Outcome] = {mark.question_id: mark.outcome for mark in examined.run.marks}
    click.echo()
    for one in examined.exam.questions:
        click.echo(printable(f"{EXAM_OUTCOMES[outcomes[one.id]]}: {one.text} ({EXAM_KINDS[one.kind]}, {one.row_id})"))
