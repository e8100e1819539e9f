"""`voice forget`, `voice redact`, and `voice removals`, the group of all that deletes.

Law: what would go is shown first (`show.forgotten`), words of private rows only with `--private`, and deleted only once
the word itself was typed, or with `--yes`. JSON holds ids alone. What stays on the disk until it is compacted is said
every time, and which files still name a row. With `--sentence`, one sentence goes and its note stays.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from voice.core.text.display import printable
from voice.core.text.instants import render_if_dated
from voice.entrypoints.cli.removals import COMMANDS, compact_and_reindex, require_compactable
from voice.entrypoints.cli.show.forgotten import lines_along, reach_lines, still_said_lines, tell_leftovers
from voice.entrypoints.cli.terminal.input import confirm_by_typing, find_sentence
from voice.entrypoints.cli.terminal.printing import note, print_json, wants_json
from voice.entrypoints.cli.terminal.request_options import option_group
from voice.entrypoints.cli.terminal.runtime import flag, json_option, load_settings, option, progress, run
from voice.entrypoints.shared.removals import row_kind

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.removal.forget_cascade import Act, ForgetRequest
    from voice.core.graph.thoughts.sentence_edits import SentenceMatch
    from voice.core.records import Row
    from voice.services.removal.forget import ForgetReach
    from voice.services.removal.sentence_edits import SentenceEdited

_ID = re.compile(r"[a-z]{1,2}:\w")  # "t:01…", also only its start
_selecting = option_group(
    option("--id ids", "The id of a note, sentence, entity or relation; repeat for several.", "ID", multiple=True),
    option("--matching", "Everything that contains these words, in this order.", "TEXT"),
    option("--tag tags", "Everything with this tag; if repeated, with all of them.", "TAG", multiple=True),
    option("--about", "Everything that names this person or thing, or that they said.", "NAME"),
    option("--when", 'Everything from this time: "last week", "in March 2024".', "PHRASE"),
    flag("--files with_files", "Also delete files in the data directory that contain them."),
    flag("--compact", "Compact the store afterwards, so that the words leave the disk."),
    flag("--private include_private", "Also show the words of private entries."),
    flag("--dry-run", "Show what would be deleted, and delete nothing."),
    flag("--yes", "Do not ask."),
    json_option,
)


class _Options(TypedDict):
    """The options that `forget` and `redact` share."""

    ids: tuple[str, ...]
    matching: str | None
    tags: tuple[str, ...]
    about: str | None
    when: str | None
    with_files: bool
    compact: bool
    include_private: bool
    dry_run: bool
    yes: bool


class _OptionsOnly(click.Command):
    """A command without arguments; an argument is answered with the option that it needs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options. Raises click.UsageError: something stands without an option."""
        ctx.allow_extra_args = True  # so that click hands them over, and does not refuse them in its own words
        loose = super().parse_args(ctx, args)
        if loose and not ctx.resilient_parsing:  # a shell that completes the line is told nothing
            said = shlex.quote(printable(loose[0]))
            could = f"--id {said}" if _ID.match(loose[0]) else f"--about {said} or --matching {said}"
            raise click.UsageError(f"{said} needs an option before it, such as {could}", ctx=ctx)
        return loose


@click.command(cls=_OptionsOnly)
@_selecting
@option("--sentence", "Forget one sentence that contains these words; its note keeps the rest.", "WORDS")
def forget(*, sentence: str | None, **options: Unpack[_Options]) -> None:
    """Delete notes, sentences, entities or relations for good.

    Every copy goes as well: vectors, index, summaries, turns, pins. Select with --id, or describe what to delete; if
    you give several descriptions, all must match. You see what goes, and confirm. Answers that quote it lose its words.
    Only the id and a keyed hash stay, so that no import brings it back. With --compact, no word of it is left in the
    store's files. With --sentence, one sentence goes and its note keeps the rest; if several notes have it, name one
    with --id.

    \b
    Examples:
      voice forget --matching "the old door code" --dry-run
      voice forget --id t:01k… --compact
      voice forget --sentence "Beth has the key"
      voice forget --about Beth --when "in March 2024"
    """
    if sentence is None:
        _run("forget", options)
    else:
        _forget_sentence(sentence, options)


@click.command(cls=_OptionsOnly)
@_selecting
def redact(**options: Unpack[_Options]) -> None:
    """Delete the words of entries; keep their ids and dates.

    An entry is a note, sentence, entity or relation; every copy of its words goes. Select with --id, or describe the
    entries; if you give several descriptions, all must match. You see what goes, and confirm.

    \b
    Examples:
      voice redact --tag medical --dry-run
      voice redact --id t:01k… --yes
    """
    _run("redact", options)


@click.group()
def removals() -> None:
    """Remove notes at once, or mark, archive and delete them.

    `voice forget` and `voice redact` are short for the two commands of these names. You can delete marked thoughts when
    their retention is over.

    \b
    Example: voice removals list
    """


for _command in (forget, redact, *COMMANDS):
    removals.add_command(_command)


def _run(act: "Act", options: _Options) -> None:
    is_dry, with_files = options["dry_run"], options["with_files"]
    if options["compact"]:  # before anything is deleted: a later refusal would leave the words on the disk
        require_compactable()
    request = _request(options)
    asks = not (is_dry or options["yes"])  # a preview first, where nobody said --yes
    reach = _reached(request, act, with_files=with_files, is_preview=is_dry or asks)
    is_left = not reach.is_empty or (with_files and bool(reach.files))  # nothing is deleted where nothing is found
    if asks and is_left:
        files = [f"would delete the file {printable(path)}" for path in reach.files] if with_files else []
        lines = reach_lines(_disclosed(reach, options), f"would {act}")
        confirm_by_typing(act, (*lines, *_lines_of_one_sentence(reach, act, options), *files))
        shown = frozenset(row.id for row in reach.rows.going)  # what was shown, and nothing that came meanwhile
        reach = _reached(request, act, with_files=with_files, shown=shown)
    report = _compacted(options)  # after the deletion, even if it found nothing: earlier words may be left
    reach = _disclosed(reach, options)
    if wants_json():
        done = is_left and not is_dry
        print_json(_as_json(reach, dry_run=is_dry, done=done, with_files=with_files) | {"compacted": report})
        return
    hints = _lines_of_one_sentence(reach, act, options) if is_dry else ()
    for line in (*reach_lines(reach, f"would {act}" if is_dry else _PAST[act]), *hints):
        click.echo(line)
    _tell_rest(reach, report, is_dry=is_dry, with_files=with_files)


_PAST: "dict[Act, str]" = {"forget": "forgot", "redact": "redacted"}


def _lines_of_one_sentence(reach: "ForgetReach", act: "Act", options: _Options) -> Iterator[str]:
    """Yield how to delete only the sentence that matches, where its note goes with other sentences."""
    from voice.core.graph.consequences import DependencyReason, dependent_rows

    words, others = options["matching"], (options["ids"], options["tags"], options["about"], options["when"])
    if act == "redact" or words is None or any(others):
        return
    if any(each.tie is DependencyReason.SENTENCE for each in dependent_rows(reach.rows, reach.before)):
        yield f"  --sentence {shlex.quote(printable(words))} deletes one sentence; its note keeps the rest"


def _disclosed(reach: "ForgetReach", options: _Options) -> "ForgetReach":
    """Return what is reached, nothing of it private where the words of private rows are asked for."""
    return replace(reach, private=frozenset()) if options["include_private"] else reach


def _compacted(options: _Options) -> dict[str, object] | None:
    return compact_and_reindex() if options["compact"] and not options["dry_run"] else None


def _tell_rest(
    reach: "ForgetReach", compacted: "Mapping[str, object] | None", *, is_dry: bool, with_files: bool
) -> None:
    tell_leftovers(reach, is_dry=is_dry, with_files=with_files, compacted=compacted is not None)
    if compacted is not None:
        note(f"compacted the store: {compacted['bytes_before']:,} bytes before, {compacted['bytes_after']:,} bytes now")


def _request(options: _Options) -> "ForgetRequest":
    from voice.core.graph.removal.forget_cascade import ForgetRequest

    # No window means no bound: a phrase that cannot be read is an error.
    since, until = (None, None) if options["when"] is None else _window(options["when"])
    return ForgetRequest(
        ids=frozenset(options["ids"]),
        matching=options["matching"],
        tags=frozenset(options["tags"]),
        about=options["about"],
        since=since,
        until=until,
    )


def _window(when: str) -> tuple[datetime | None, datetime | None]:
    from voice.adapters.system.clock_and_ids import SystemClock
    from voice.core.nlq.parse import parse_query
    from voice.wiring.service_settings import nlq_settings

    settings = load_settings().settings
    window = parse_query(
        "", now=SystemClock().now(), timezone=settings.time.timezone, settings=nlq_settings(settings), when=when
    ).window
    return (window.start, window.end) if window else (None, None)


def _reached(
    request: "ForgetRequest",
    act: "Act",
    *,
    with_files: bool,
    is_preview: bool = False,
    shown: frozenset[str] | None = None,
) -> "ForgetReach":
    """Return what is reached: deleted, or with `is_preview` left as it is; `shown` is all that may go."""

    async def work(services: "Services") -> "ForgetReach":
        meant = replace(request, ids=frozenset(await services.resolve_ids(sorted(request.ids))))
        with progress() as advance:
            if is_preview:
                return await services.forget.preview(meant, act, tell=advance)
            return await services.forget(meant, act, shown=shown, with_files=with_files, tell=advance)

    return run(work)


def _as_json(reach: "ForgetReach", *, dry_run: bool, done: bool, with_files: bool) -> dict[str, object]:
    meant = [_row_as_json(row) | {"derived": False} for row in reach.rows.meant]
    return {
        "act": reach.act,
        "dry_run": dry_run,
        "done": done,
        "rows": [*meant, *_along_as_json(reach)],
        "changed": [row.id for row in reach.rows.changed],
        "exchanges": [each.id for each in reach.exchanges],
        "sessions": [each.id for each in reach.sessions],
        "pins_removed": list(reach.pins_removed),
        "pins_changed": [pin.id for pin in reach.pins_changed],
        "capsules": [each.id for each in reach.capsules],
        "elsewhere": {kind: list(ids) for kind, ids in reach.elsewhere.items()},
        "sealed": [stone.row_id for stone in reach.taken],
        "unread": list(reach.unread),
        "still_said": [each.row.id for each in reach.rows.still_said],
        "gone_before": sorted(reach.before),
        "files": list(reach.files),
        "files_removed": done and with_files and bool(reach.files),
    }


def _along_as_json(reach: "ForgetReach") -> list[dict[str, object]]:
    from voice.core.graph.consequences import dependent_rows

    return [
        _row_as_json(each.row) | {"derived": True, "because": str(each.tie), "of": each.to}
        for each in dependent_rows(reach.rows, reach.before)
    ]


def _row_as_json(row: "Row") -> dict[str, object]:
    return {"id": row.id, "kind": row_kind(row), "created_at": render_if_dated(row.created_at)}


def _forget_sentence(words: str, options: _Options) -> None:
    if any((options["matching"], options["tags"], options["about"], options["when"])):
        raise click.UsageError(
            "--sentence can be combined with --id only, not with --matching, --tag, --about or --when"
        )
    with_files = options["with_files"]
    if options["compact"]:
        require_compactable()
    is_shown = options["include_private"]  # words of a private note show only on request
    match = find_sentence(words, options["ids"], name_it="--id", past=True, include_private=is_shown)

    ahead = _disclosed(run(lambda services: services.sentence_edits.ahead(match)), options)
    # A note of one sentence goes with it.
    kept = "keeps the rest" if match.without() else "says nothing else, so all of it goes"
    preview_lines = (f"would forget this sentence; {match.row.id} {kept}", *lines_along(ahead))
    if not (options["dry_run"] or options["yes"]):
        confirm_by_typing("forget", preview_lines)
    edited = None  # a dry run changes nothing
    if not options["dry_run"]:
        edited = run(lambda services: services.sentence_edits.take(match, with_files=with_files))
    report = _compacted(options)
    if wants_json():
        print_json(_sentence_json(match, ahead, edited) | {"compacted": report})
    elif edited is None:
        click.echo("\n".join(preview_lines))
    else:
        edited = replace(edited, reached=_disclosed(edited.reached, options))
        _tell_sentence(edited, match, ahead)
        _tell_rest(edited.reached, report, is_dry=False, with_files=with_files)


def _tell_sentence(edited: "SentenceEdited", match: "SentenceMatch", ahead: "ForgetReach") -> None:
    reach = edited.reached
    goes_on = f"its note is now {edited.note_id}" if edited.note_id else f"{match.row.id} said nothing else and is gone"
    click.echo(f"forgot this sentence; {goes_on}")
    for line in (*lines_along(replace(ahead, exchanges=reach.exchanges)), *still_said_lines(reach)):
        click.echo(line)
    place = getattr(match.row, "source_ref", None)  # entities and relations have none
    if edited.note_id and place:
        note(f"if {printable(place)} still says it, delete it there as well")


def _sentence_json(match: "SentenceMatch", ahead: "ForgetReach", edited: "SentenceEdited | None") -> dict[str, object]:
    reach = edited.reached if edited else ahead
    return {
        "row": match.row.id,
        "note": edited.note_id if edited else None,
        "keeps_rest": bool(match.without()),
        "dry_run": edited is None,
        "done": edited is not None,
        "rows": _along_as_json(ahead),
        "exchanges": [each.id for each in reach.exchanges],
        "still_said": [each.row.id for each in reach.rows.still_said],
        "files": list(reach.files),
    }
