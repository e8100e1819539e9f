"""`voice capsules`: bounded pieces of work, each with one summary.

Law: what is in a capsule and what it comes to is shown as it stands; private thoughts and summaries only with
`--private` (promise 6).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

import click

from voice.core.text.display import counted
from voice.entrypoints.cli.printing import minute_of, note, print_json, printable, printable_block
from voice.entrypoints.cli.runtime import json_option, run, stdin_text
from voice.entrypoints.cli.standing import (
    ReadingScope,
    named_scope,
    reading_options,
    repo_option,
    scope_option,
    scope_to_write,
    surroundings,
)

if TYPE_CHECKING:
    from voice.core.recall.capsules import NewSummary
    from voice.core.recall.values import Capsule
    from voice.services.recall.capsules import CapsuleView

_confidence_option = click.option(
    "--confidence", type=float, help="How sure you are of the summary, 0 to 1. Default: 1."
)
_evidence_option = click.option(
    "--evidence",
    multiple=True,
    metavar="ID",
    help="A source of the summary; repeat for several. Default: every note in it.",
)
_private_summary_option = click.option("--private", "is_private", is_flag=True, help="The summary is private.")


@click.group()
def capsules() -> None:
    """Open a piece of work, put thoughts in, sum it up, close it.

    \b
    Example: voice capsules list
    """


@capsules.command("open")
@click.argument("intent")
@scope_option
@repo_option
@json_option
@click.pass_context
def open_(ctx: click.Context, intent: str, scope_words: tuple[str, ...], repo: Path | None, as_json: bool) -> None:
    """Open a capsule; INTENT says what it is about. `voice remember --capsule ID` puts thoughts into it.

    \b
    Example: voice capsules open "mend the login" --repo ~/site
    """
    from voice.core.records import Scope

    scope = scope_to_write(scope_words, repo) or Scope()
    _tell(run(ctx, lambda services: services.capsules.open(intent, scope), makes=True), "is open", as_json=as_json)


@capsules.command()
@click.argument("capsule")
@click.option("--summary", metavar="TEXT", help="A final summary; `-` reads a pipe. Default: the summary it has.")
@_confidence_option
@_evidence_option
@_private_summary_option
@json_option
@click.pass_context
def close(
    ctx: click.Context,
    capsule: str,
    summary: str | None,
    confidence: float | None,
    evidence: tuple[str, ...],
    is_private: bool,
    as_json: bool,
) -> None:
    """Close a capsule; closing it again changes nothing. CAPSULE is its id, or the start of it.

    \b
    Example: voice capsules close c:01m8… --summary "The cookie was never renewed; it is now."
    """
    said = None
    if summary is None and (evidence or is_private or confidence is not None):
        raise click.UsageError("--confidence, --evidence and --private say something about a --summary; give one")
    if summary is not None:
        text = stdin_text(summary, what="the summary")
        said = _said(text, confidence, evidence, is_private=is_private)
    _tell(run(ctx, lambda services: services.capsules.close(capsule, said)), "is closed", as_json=as_json)


@capsules.command()
@click.argument("capsule")
@click.argument("text", required=False)
@_confidence_option
@_evidence_option
@_private_summary_option
@json_option
@click.pass_context
def summarise(
    ctx: click.Context,
    capsule: str,
    text: str | None,
    confidence: float | None,
    evidence: tuple[str, ...],
    is_private: bool,
    as_json: bool,
) -> None:
    """Replace the summary of an open capsule. TEXT is `-` or left out to read a pipe.

    The summary is private if one of its sources is, and stands only as long as its sources do.

    \b
    Example: voice capsules summarise c:01m8… "The cookie is never renewed." --confidence 0.8
    """
    said = _said(stdin_text(text, what="the summary"), confidence, evidence, is_private=is_private)
    _tell(run(ctx, lambda services: services.capsules.summarise(capsule, said)), "is summed up", as_json=as_json)


@capsules.command("list")
@click.option(
    "--status",
    type=click.Choice(["open", "closed", "all"]),
    default="all",
    show_default=True,
    help="Which capsules to list.",
)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@reading_options
@json_option
@click.pass_context
def list_(
    ctx: click.Context,
    status: Literal["open", "closed", "all"],
    limit: int,
    as_json: bool,
    **where: Unpack[ReadingScope],
) -> None:
    """List capsules, the newest first.

    \b
    Example: voice capsules list --status open
    """
    found = run(
        ctx,
        lambda services: services.capsules.listed(
            scope=named_scope(where),
            surroundings=surroundings(ctx),
            status=status,
            limit=limit,
        ),
    )
    if as_json:
        from voice.core.render.recall import capsule_json

        print_json([capsule_json(capsule) for capsule in found])
        return
    if not found:
        click.echo("No capsules; `voice capsules open` opens one.", err=True)
    for capsule in found:
        click.echo(_line(capsule))


@capsules.command()
@click.argument("capsule")
@click.option("--private", "include_private", is_flag=True, help="Show private thoughts and summaries, too.")
@json_option
@click.pass_context
def show(ctx: click.Context, capsule: str, include_private: bool, as_json: bool) -> None:
    """Show one capsule with its summary and its thoughts, oldest first. CAPSULE is its id, or the start of it.

    \b
    Example: voice capsules show c:01m8…
    """
    view = run(ctx, lambda services: services.capsules.show(capsule, include_private=include_private))
    if view.hidden:
        note(f"{counted(view.hidden, 'private thought')} left out; --private shows them")
    if as_json:
        from voice.core.render.recall import capsule_view_json

        print_json(dict(capsule_view_json(view.capsule, view.summary, view.thoughts, is_outdated=view.is_outdated)))
        return
    _print_view(view)


def _said(text: str, confidence: float | None, evidence: tuple[str, ...], *, is_private: bool) -> "NewSummary":
    from voice.core.recall.capsules import NewSummary

    sure = 1.0 if confidence is None else confidence
    return NewSummary(content=text, confidence=sure, evidence_refs=evidence or None, is_private=is_private)


def _tell(capsule: "Capsule", what: str, *, as_json: bool) -> None:
    if as_json:
        from voice.core.render.recall import capsule_json

        print_json(capsule_json(capsule))
    else:
        click.echo(f"{capsule.id}  {printable(capsule.intent)}  {what}")


def _line(capsule: "Capsule") -> str:
    from voice.core.recall.scopes import render_scope

    summed = "summed up" if capsule.summary else ""
    parts = (capsule.id, minute_of(capsule.opened_at), f"{capsule.status:<6}", summed, render_scope(capsule.scope))
    return "  ".join([*(printable(part) for part in parts if part), printable(capsule.intent)])


def _print_view(view: "CapsuleView") -> None:
    from voice.core.render.recall import shown_content

    click.echo(_line(view.capsule))
    if view.summary:
        count = len(view.summary.evidence_refs)
        sure = f"confidence {view.summary.confidence:.2f}, rests on {counted(count, 'row')}"
        click.echo(f"Summary ({sure}):\n{printable_block(view.summary.content)}")
    elif view.is_outdated:
        note("its summary rests on rows that are gone or were changed, and no longer stands; write it anew")
    for thought in view.thoughts:
        click.echo(f"\n{thought.id}  {minute_of(thought.created_at)}  {printable(thought.kind)}")
        click.echo(printable_block(shown_content(thought)))
