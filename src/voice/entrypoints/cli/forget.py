"""`voice forget`, `voice redact`, and `voice removals`, which holds all that takes something away.

Law: what would be reached is shown before anything is taken away (`show_forgotten`); only the word itself, or `--yes`,
takes it away. JSON holds ids alone. What stays on the disk until it is compacted, and which files still name a row, is
said every time.

`voice forget --sentence`: one sentence goes, its note stays. As of `voice forget`: it is shown first, and only the word
itself, or `--yes`, takes it away.
"""

import re
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar, cast

import click

from voice.core.errors import InvalidParams
from voice.core.text.instants import render_if_dated
from voice.entrypoints.cli.removals import (
    compact_and_reindex,
    export,
    finalise,
    list_,
    mark,
    require_compactable,
    restore,
    unmark,
)
from voice.entrypoints.cli.show.forgotten import lines_along, reach_lines, still_said_lines, tell_leftovers
from voice.entrypoints.cli.terminal.input import find_sentence
from voice.entrypoints.cli.terminal.printing import note, print_json, printable
from voice.entrypoints.cli.terminal.runtime import json_option, load_settings, progress, run
from voice.entrypoints.shared.removals import row_kind

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.removal.forget_cascade import Act, ForgetRequest
    from voice.core.graph.thoughts.sentence_edits import SentenceMatch
    from voice.core.records import Row
    from voice.services.removal.forget import ForgetReach
    from voice.services.removal.sentence_edits import SentenceEdited


_F = TypeVar("_F", bound=Callable[..., object])
_ID = re.compile(r"[a-z]{1,2}:\w")
_OPTIONS = (
    click.option(
        "--id",
        "ids",
        multiple=True,
        metavar="ID",
        help="The id of a note, sentence, entity or relation; repeat for several.",
    ),
    click.option("--matching", metavar="TEXT", help="Whatever contains these words, in this order."),
    click.option(
        "--tag", "tags", multiple=True, metavar="TAG", help="Whatever has this tag; if repeated, all of them."
    ),
    click.option("--about", metavar="NAME", help="Whatever names this person or thing, or was said by them."),
    click.option("--when", metavar="PHRASE", help='Whatever dates from this time: "last week", "in March 2024".'),
    click.option(
        "--files", "with_files", is_flag=True, help="Also delete files in the data directory that contain them."
    ),
    click.option("--compact", is_flag=True, help="Compact the store afterwards, so that nothing stays on the disk."),
    click.option("--dry-run", is_flag=True, help="Show what would go, and delete nothing."),
    click.option("--yes", is_flag=True, help="Do not ask."),
    json_option,
)


class _Describing(click.Command):
    """A command whose rows are named and described by options alone; what stands without one is told where it goes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options.

        Raises:
            click.UsageError: something stands without an option.
        """
        ctx.allow_extra_args = True
        loose = super().parse_args(ctx, args)
        if loose and not ctx.resilient_parsing:  # a shell that completes the line is told nothing
            said = shlex.quote(printable(loose[0]))
            could = f"--id {said}" if _ID.match(loose[0]) else f"--about {said} or --matching {said}"
            raise click.UsageError(f"{said} needs an option before it, such as {could}", ctx=ctx)
        return loose


def _selecting(command: _F) -> _F:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command(cls=_Describing)
@_selecting
@click.option(
    "--sentence", metavar="WORDS", help="Forget one sentence that contains these words; its note keeps the rest."
)
@click.pass_context
def forget(ctx: click.Context, *, sentence: str | None, **options: object) -> None:
    """Delete notes, sentences, entities or relations for good, with every copy: vectors, index, summaries, turns, pins.

    Select them with --id, or describe them; if you give several descriptions, all must match. You see what goes, and
    confirm. Answers that quote it lose its words. Only the id and a keyed hash stay, so that no import brings it back.
    With --compact, no word of it is left in the store's files. With --sentence, one sentence goes and its note keeps
    the rest; if several notes have it, name one with --id.

    \b
    Examples:
      voice forget --matching "the old door code" --dry-run
      voice forget --id t:01k… --compact
      voice forget --sentence "Beth has the key"
      voice forget --about Beth --when "in March 2024"
    """
    if sentence is None:
        _run(ctx, "forget", options)
        return

    forget_sentence(ctx, sentence, options)


@click.command(cls=_Describing)
@_selecting
@click.pass_context
def redact(ctx: click.Context, **options: object) -> None:
    """Delete the words of notes, sentences, entities or relations, and every copy of them; ids and dates stay.

    Select them with --id, or describe them; if you give several descriptions, all must match. You see what goes, and
    confirm.

    \b
    Examples:
      voice redact --tag medical --dry-run
      voice redact --id t:01k… --yes
    """
    _run(ctx, "redact", options)


@click.group()
def removals() -> None:
    """Forget or redact at once; or mark thoughts, archive them, and delete them when their retention is over.

    `voice forget` and `voice redact` are short for the two commands of these names.

    \b
    Example: voice removals list
    """


for _command in (forget, redact, mark, unmark, list_, export, finalise, restore):
    removals.add_command(_command)


def _run(ctx: click.Context, act: "Act", options: dict[str, object]) -> None:
    is_dry, compacts, as_json = options["dry_run"] is True, options["compact"] is True, options["as_json"] is True
    with_files = options["with_files"] is True
    if compacts:
        require_compactable(ctx)
    wanted = _wanted(ctx, options)
    asks = not (is_dry or options["yes"] is True)
    found = _reached(ctx, wanted, act) if is_dry or asks else _taken(ctx, wanted, act, with_files=with_files)
    is_left = not found.is_empty or (with_files and bool(found.files))
    if asks and is_left:
        _confirm(found, with_files=with_files)
        shown = frozenset(row.id for row in found.rows.going)
        found = _taken(ctx, wanted, act, with_files=with_files, shown=shown)
    report = compact_and_reindex(ctx) if compacts and not is_dry else None
    if as_json:
        done = is_left and not is_dry
        print_json(_as_json(found, dry_run=is_dry, done=done, with_files=with_files) | {"compacted": report})
        return
    for line in reach_lines(found, f"would {act}" if is_dry else _PAST[act]):
        click.echo(line)
    tell_leftovers(found, is_dry=is_dry, with_files=with_files, compacted=report is not None)
    if report is not None:
        note(f"compacted the store: {report['bytes_before']:,} bytes before, {report['bytes_after']:,} bytes now")


_PAST: "dict[Act, str]" = {"forget": "forgot", "redact": "redacted"}


def _wanted(ctx: click.Context, options: dict[str, object]) -> "ForgetRequest":
    from voice.core.graph.removal.forget_cascade import ForgetRequest

    since, until = _window(ctx, options["when"])
    matching, about = options["matching"], options["about"]
    ids, tags = cast("tuple[str, ...]", options["ids"]), cast("tuple[str, ...]", options["tags"])
    return ForgetRequest(
        ids=frozenset(ids),
        matching=matching if isinstance(matching, str) else None,
        tags=frozenset(tags),
        about=about if isinstance(about, str) else None,
        since=since,
        until=until,
    )


def _window(ctx: click.Context, when: object) -> tuple[datetime | None, datetime | None]:
    if not isinstance(when, str):
        return None, None
    from voice.adapters.system.clock_and_ids import SystemClock
    from voice.core.nlq.parse import parse_query
    from voice.wiring.service_settings import nlq_settings

    settings = load_settings(ctx).settings
    parsed = parse_query(
        "", now=SystemClock().now(), timezone=settings.time.timezone, settings=nlq_settings(settings), when=when
    )
    window = parsed.window
    return (window.start, window.end) if window else (None, None)


def _reached(ctx: click.Context, wanted: "ForgetRequest", act: "Act") -> "ForgetReach":
    async def look(services: "Services") -> "ForgetReach":
        meant = await _meant(services, wanted)
        with progress() as advance:
            return await services.forget.preview(meant, act, tell=advance)

    return run(ctx, look)


def _taken(
    ctx: click.Context, wanted: "ForgetRequest", act: "Act", *, with_files: bool, shown: frozenset[str] | None = None
) -> "ForgetReach":
    async def take(services: "Services") -> "ForgetReach":
        meant = await _meant(services, wanted)
        with progress() as advance:
            return await services.forget(meant, act, shown=shown, with_files=with_files, tell=advance)

    return run(ctx, take)


async def _meant(services: "Services", wanted: "ForgetRequest") -> "ForgetRequest":
    return replace(wanted, ids=frozenset(await services.resolve_ids(sorted(wanted.ids))))


def _confirm(found: "ForgetReach", *, with_files: bool) -> None:
    """Ask whether what was shown may go; the answer is the word itself.

    Raises:
        click.UsageError: nobody is there to answer.
        InvalidParams: it is not to go.
    """
    if not sys.stdin.isatty():
        raise click.UsageError("this deletes for good; preview it with --dry-run, then confirm with --yes")
    files = [f"would delete the file {printable(path)}" for path in found.files] if with_files else []
    for line in (*reach_lines(found, f"would {found.act}"), *files):
        click.echo(line, err=True)
    said = click.prompt(f'Type "{found.act}" to confirm', default="", show_default=False, err=True)
    if str(said).strip() != found.act:
        raise InvalidParams(f'you did not type "{found.act}", so nothing was deleted')


def _as_json(found: "ForgetReach", *, dry_run: bool, done: bool, with_files: bool) -> dict[str, object]:
    meant = [_row_as_json(row) | {"derived": False} for row in found.rows.meant]
    return {
        "act": found.act,
        "dry_run": dry_run,
        "done": done,
        "rows": [*meant, *_along_as_json(found)],
        "changed": [row.id for row in found.rows.changed],
        "exchanges": [each.id for each in found.exchanges],
        "sessions": [each.id for each in found.sessions],
        "pins_removed": list(found.pins_removed),
        "pins_changed": [pin.id for pin in found.pins_changed],
        "capsules": [each.id for each in found.capsules],
        "elsewhere": {kind: list(ids) for kind, ids in found.elsewhere.items()},
        "sealed": [stone.row_id for stone in found.taken],
        "unread": list(found.unread),
        "still_said": [each.row.id for each in found.rows.still_said],
        "gone_before": sorted(found.before),
        "files": list(found.files),
        "files_removed": done and with_files and bool(found.files),
    }


def _along_as_json(found: "ForgetReach") -> list[dict[str, object]]:
    from voice.core.graph.removal.dependents import dependent_rows

    return [
        _row_as_json(each.row) | {"derived": True, "because": str(each.tie), "of": each.to}
        for each in dependent_rows(found.rows, found.before)
    ]


def _row_as_json(row: "Row") -> dict[str, object]:
    return {"id": row.id, "kind": row_kind(row), "created_at": render_if_dated(row.created_at)}


_OTHERS = ("matching", "tags", "about", "when")


def forget_sentence(ctx: click.Context, words: str, options: Mapping[str, object]) -> None:
    """Find the sentence, show it, ask, and take it away.

    Args:
        ctx: the command's context.
        words: words of the sentence.
        options: those of `voice forget`.

    Raises:
        click.UsageError: rows are described besides, or nobody is there to answer.
        InvalidParams: no sentence is meant, or several are.
    """
    if any(options[name] for name in _OTHERS):
        raise click.UsageError("--sentence goes with --id only, not with --matching, --tag, --about or --when")
    is_dry, compacts, with_files = (options[name] is True for name in ("dry_run", "compact", "with_files"))
    if compacts:
        require_compactable(ctx)
    told = find_sentence(ctx, words, cast("tuple[str, ...]", options["ids"]), name_it="--id", past=True)
    rest = told.without()
    said = f"{told.row.id} {'keeps the rest' if rest else 'says nothing else, so all of it goes'}"
    ahead = _ahead(ctx, told)
    if is_dry:
        _tell_would(told, ahead, said, as_json=options["as_json"] is True)
        return
    if options["yes"] is not True:
        _confirm_sentence(said, ahead)
    taken = run(ctx, lambda services: _take_sentence(services, told, with_files=with_files))
    report = compact_and_reindex(ctx) if compacts else None
    if options["as_json"] is True:
        print_json(_sentence_json(told, ahead, taken) | {"compacted": report})
        return
    _tell_sentence(taken, told, ahead)
    tell_leftovers(taken.reached, is_dry=False, with_files=with_files, compacted=report is not None)
    if report is not None:
        note(f"compacted the store: {report['bytes_before']:,} bytes before, {report['bytes_after']:,} bytes now")


async def _take_sentence(services: "Services", told: "SentenceMatch", *, with_files: bool) -> "SentenceEdited":
    return await services.sentence_edits.take(told, with_files=with_files)


def _tell_would(told: "SentenceMatch", ahead: "ForgetReach", said: str, *, as_json: bool) -> None:
    if as_json:
        print_json(_sentence_json(told, ahead, None) | {"compacted": None})
        return
    for line in (f"would forget this sentence; {said}", *lines_along(ahead)):
        click.echo(line)


def _ahead(ctx: click.Context, told: "SentenceMatch") -> "ForgetReach":
    """Return what would go with a sentence."""

    async def look(services: "Services") -> "ForgetReach":
        return (await services.sentence_edits.ahead(told)).reached

    return run(ctx, look)


def _confirm_sentence(said: str, ahead: "ForgetReach") -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("this deletes for good; preview it with --dry-run, then confirm with --yes")
    click.echo(f"would forget this sentence; {said}", err=True)
    for line in lines_along(ahead):
        click.echo(line, err=True)
    answer = click.prompt('Type "forget" to confirm', default="", show_default=False, err=True)
    if str(answer).strip() != "forget":
        raise InvalidParams('you did not type "forget", so nothing was deleted')


def _tell_sentence(taken: "SentenceEdited", told: "SentenceMatch", ahead: "ForgetReach") -> None:
    found = taken.reached
    goes_on = f"its note is now {taken.note_id}" if taken.note_id else f"{told.row.id} said nothing else and is gone"
    click.echo(f"forgot this sentence; {goes_on}")
    for line in (*lines_along(replace(ahead, exchanges=found.exchanges)), *still_said_lines(found)):
        click.echo(line)
    place = getattr(told.row, "source_ref", None)
    if taken.note_id and place:
        note(f"if {printable(place)} still says it, delete it there as well")


def _sentence_json(told: "SentenceMatch", ahead: "ForgetReach", taken: "SentenceEdited | None") -> dict[str, object]:
    found = taken.reached if taken else ahead
    return {
        "row": told.row.id,
        "note": taken.note_id if taken else None,
        "keeps_rest": bool(told.without()),
        "dry_run": taken is None,
        "done": taken is not None,
        "rows": _along_as_json(ahead),
        "exchanges": [each.id for each in found.exchanges],
        "still_said": [each.row.id for each in found.rows.still_said],
        "files": list(found.files),
    }
