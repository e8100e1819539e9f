"""`voice pins` and `voice capsules`: what recall shows unasked.

Law: a pin never shows more than its target may: a private target is pinned, and its pin listed, only with `--private`;
the reason of a forgotten or redacted one is not shown. Removing a pin that does not exist is a mistyped id. Private
thoughts and summaries of a capsule are shown only with `--private` (promise 6).
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import click

from voice.core.errors import UnknownId
from voice.core.recall.params import render_scope
from voice.core.records import Scope
from voice.core.text.display import counted, printable, printable_block
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import minute_of, note, print_json, print_result, wants_json
from voice.entrypoints.cli.terminal.request_options import (
    ReadingScope,
    default_scope,
    named_scope,
    option_group,
    reading_options,
    repo_option,
    scope_option,
    scope_to_write,
)
from voice.entrypoints.cli.terminal.runtime import JsonGroup, flag, moment, option, run, stdin_text

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.recall.capsules import NewSummary
    from voice.core.recall.values import Capsule, Pin
    from voice.services.recall.capsules import CapsuleView
    from voice.services.recall.pins import PinView


@click.group(cls=JsonGroup)
def pins() -> None:
    """Pin what recall and prompts always show first.

    \b
    Example: voice pins list
    """


@pins.command()
@click.argument("target")
@option("--reason", "Why it matters.", "WORDS", required=True)
@option("--for lifetime", "How long it stays pinned: 90m, 12h, 7d, 2w. Default: no end.", "TIME")
@option("--until", "When it ends: 2026-03-05 or 2026-03-05T14:00.", "WHEN")
@flag("--private allow_private", "Pin it even if it is private.")
@scope_option
@repo_option
def add(
    target: str,
    reason: str,
    lifetime: str | None,
    until: str | None,
    allow_private: bool,
    scope_words: tuple[str, ...],
    repo: Path | None,
) -> None:
    """Pin a row, or the summary of a capsule or session.

    TARGET is the id of a row (t:…, e:…, o:…, r:…) or of a summary (m:c:…, m:s:…). A pin has its target's scope unless
    you name one. Pinning again in the same scope renews its reason and end.

    \b
    Examples:
      voice pins add t:01m8… --reason "the decision everything rests on"
      voice pins add o:01m8… --reason "until the release" --for 7d
    """
    from voice.core.recall.pins import PinRequest, parse_lifetime

    request = PinRequest(
        target_id=target,
        reason=reason,
        lifetime=None if lifetime is None else parse_lifetime(lifetime),
        expires_at=moment(until, "--until"),
        scope=scope_to_write(scope_words, repo),
        allow_private=allow_private,
    )

    async def work(services: "Services") -> "Pin":
        return await services.pins.pin(replace(request, target_id=await services.resolve_ids.one(target)))

    pin = run(work)
    told = f"{pin.id}  {printable(pin.target_id)} is pinned {_end_in_words(pin)}"
    print_result(lambda: forms.recall.pin_json(pin, "active"), told)


@pins.command("list")
@flag("--all include_expired", "Include expired pins.")
@flag("--private include_private", "Include private pins.")
@reading_options
def list_pins(include_expired: bool, include_private: bool, **where: Unpack[ReadingScope]) -> None:
    """List pins, the newest first. It also lists those whose target is gone.

    \b
    Example: voice pins list --scope repo=/home/ann/kiln
    """
    listed = run(
        lambda services: services.pins.listed(
            scope=named_scope(where),
            surroundings=default_scope(),
            include_expired=include_expired,
            include_private=include_private,
        )
    )
    if listed.hidden:  # how many, not what: that is private
        note(f"{counted(listed.hidden, 'private pin')} left out; --private lists them")
    print_result(
        lambda: [forms.recall.pin_json(view.pin, view.state) for view in listed.pins],
        map(_pin_line, listed.pins),
        none="" if listed.hidden else "Nothing is pinned; `voice pins add` pins a row.",
    )


@pins.command()
@click.argument("pin")
def remove(pin: str) -> None:
    """Remove a pin. PIN is its id (p:…), or a target, to remove all its pins.

    \b
    Example: voice pins remove p:01m8…
    """

    async def work(services: "Services") -> list[str]:
        return await services.pins.unpin(await services.resolve_ids.one(pin))

    removed = run(work)
    if not removed:
        raise UnknownId(f"no pin matches {pin!r}; `voice pins list --all` lists all pins")
    print_result({"removed": [*removed]}, (f"{pin_id} is removed" for pin_id in removed))


def _pin_line(view: "PinView") -> str:
    from voice.core.interchange.import_plan import first_line

    pin = view.pin
    state = "" if view.state == "active" else f"({view.state})"
    placed = (pin.id, minute_of(pin.created_at), pin.target_id, _end_in_words(pin))
    parts = (*placed, render_scope(pin.scope), state, pin.reason)
    said = f"\n    {printable(first_line(view.says))}" if view.says else ""
    return "  ".join(printable(part) for part in parts if part) + said


def _end_in_words(pin: "Pin") -> str:
    return "until you remove the pin" if pin.expires_at is None else f"until {minute_of(pin.expires_at)}"


_describing = option_group(
    option("--confidence", "How sure you are of the summary, 0 to 1. Default: 1.", type=float),
    option(
        "--evidence", "A source of the summary; repeat for several. Default: every note in it.", "ID", multiple=True
    ),
    flag("--private is_private", "Make the summary private."),
)


class _Described(TypedDict):
    """What is said of a summary."""

    confidence: float | None
    evidence: tuple[str, ...]
    is_private: bool


@click.group(cls=JsonGroup)
def capsules() -> None:
    """Group the notes of one piece of work in a capsule.

    Open a capsule, add thoughts to it, summarise it and close it.

    \b
    Example: voice capsules list
    """


@capsules.command("open")
@click.argument("intent")
@scope_option
@repo_option
def open_(intent: str, scope_words: tuple[str, ...], repo: Path | None) -> None:
    """Open a capsule; INTENT says what it is about. `voice remember --capsule ID` puts thoughts into it.

    \b
    Example: voice capsules open "mend the login" --repo ~/site
    """
    scope = scope_to_write(scope_words, repo) or Scope()
    opened = run(lambda services: services.capsules.open(intent, scope), makes=True)
    _tell_capsule(opened, "is open")


@capsules.command()
@click.argument("capsule")
@option("--summary", "A final summary; `-` reads a pipe. Default: the summary it has.", "TEXT")
@_describing
def close(capsule: str, summary: str | None, **said: Unpack[_Described]) -> None:
    """Close a capsule; closing it again changes nothing. CAPSULE is its id, or the start of it.

    \b
    Example: voice capsules close c:01m8… --summary "The cookie was never renewed; it is now."
    """
    if summary is None and (said["evidence"] or said["is_private"] or said["confidence"] is not None):
        raise click.UsageError("--confidence, --evidence and --private need --summary")
    new = None if summary is None else _new_summary(stdin_text(summary, what="the summary"), said)
    _tell_capsule(run(lambda services: services.capsules.close(capsule, new)), "is closed")


@capsules.command()
@click.argument("capsule")
@click.argument("text", required=False)
@_describing
def summarise(capsule: str, text: str | None, **said: Unpack[_Described]) -> None:
    """Replace the summary of an open capsule. To read a pipe, leave TEXT out or give `-`.

    The summary is private if one of its sources is, and stands only as long as its sources do.

    \b
    Example: voice capsules summarise c:01m8… "The cookie is never renewed." --confidence 0.8
    """
    new = _new_summary(stdin_text(text, what="the summary"), said)
    summed = run(lambda services: services.capsules.summarise(capsule, new))
    _tell_capsule(summed, "has a new summary")


@capsules.command("list")
@option("--status", "Which capsules to list.", type=click.Choice(["open", "closed", "all"]), default="all")
@option("-n --limit", "Show at most this many.", type=click.IntRange(1, 1000), default=20)
@reading_options
def list_capsules(status: Literal["open", "closed", "all"], limit: int, **where: Unpack[ReadingScope]) -> None:
    """List capsules, the newest first.

    \b
    Example: voice capsules list --status open
    """
    found = run(
        lambda services: services.capsules.listed(
            scope=named_scope(where), surroundings=default_scope(), status=status, limit=limit
        )
    )
    print_result(
        lambda: [forms.recall.capsule_json(capsule) for capsule in found],
        map(_capsule_line, found),
        none="No capsules; `voice capsules open` opens one.",
    )


@capsules.command()
@click.argument("capsule")
@flag("--private include_private", "Include private thoughts and summaries.")
def show(capsule: str, include_private: bool) -> None:
    """Show a capsule with its summary and its thoughts.

    The oldest thought comes first. CAPSULE is its id, or the start of it.

    \b
    Example: voice capsules show c:01m8…
    """
    view = run(lambda services: services.capsules.show(capsule, include_private=include_private))
    if view.hidden:
        note(f"{counted(view.hidden, 'private thought')} left out; --private shows them")
    if wants_json():
        capsule_view_json = forms.recall.capsule_view_json
        print_json(capsule_view_json(view.capsule, view.summary, view.thoughts, is_outdated=view.is_outdated))
    else:
        _print_view(view)


def _new_summary(text: str, said: _Described) -> "NewSummary":
    from voice.core.recall.capsules import NewSummary

    sure = 1.0 if said["confidence"] is None else said["confidence"]  # 0 is a confidence, too
    evidence = said["evidence"] or None
    return NewSummary(content=text, confidence=sure, evidence_refs=evidence, is_private=said["is_private"])


def _tell_capsule(capsule: "Capsule", what: str) -> None:
    print_result(lambda: forms.recall.capsule_json(capsule), f"{capsule.id}  {printable(capsule.intent)}  {what}")


def _capsule_line(capsule: "Capsule") -> str:
    summed = "has a summary" if capsule.summary else ""
    parts = (capsule.id, minute_of(capsule.opened_at), f"{capsule.status:<6}", summed, render_scope(capsule.scope))
    return "  ".join([*(printable(part) for part in parts if part), printable(capsule.intent)])


def _print_view(view: "CapsuleView") -> None:
    click.echo(_capsule_line(view.capsule))
    if view.summary:
        count = len(view.summary.evidence_refs)
        sure = f"confidence {view.summary.confidence:.2f}, rests on {counted(count, 'row')}"
        click.echo(f"Summary ({sure}):\n{printable_block(view.summary.content)}")
    elif view.is_outdated:  # no longer true, so it is not shown
        note("its summary is outdated because rows changed; write a new one")
    for thought in view.thoughts:
        click.echo(f"\n{thought.id}  {minute_of(thought.created_at)}  {printable(thought.kind)}")
        click.echo(printable_block(forms.recall.shown_content(thought)))
