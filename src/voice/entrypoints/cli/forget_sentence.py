"""`voice forget --sentence`: one sentence goes, its note stays.

Law: as of `voice forget`: it is shown first, and only the word itself, or `--yes`, takes it away.
"""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import click

from voice.core.errors import InvalidParams
from voice.entrypoints.cli.compacting import compacted, require_compactable
from voice.entrypoints.cli.printing import note, print_json, printable
from voice.entrypoints.cli.rewording import find_one
from voice.entrypoints.cli.runtime import run
from voice.entrypoints.cli.show_forgotten import still_said, tell_rest

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.thoughts.sentence_edits import SentenceMatch
    from voice.services.removal.sentence_edits import SentenceEdited

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
    told = find_one(ctx, words, cast("tuple[str, ...]", options["ids"]), name_it="--id", past=True)
    rest = told.without()
    said = f"{told.row.id} {'keeps the rest' if rest else 'says nothing else, so all of it goes'}"
    if is_dry:
        if options["as_json"] is True:
            print_json(_as_json(told, None, dry_run=True) | {"compacted": None})
        else:
            click.echo(f"would forget this sentence; {said}")
        return
    if options["yes"] is not True:
        _confirm(said)
    taken = run(ctx, lambda services: _take(services, told, with_files=with_files))
    report = compacted(ctx) if compacts else None
    if options["as_json"] is True:
        print_json(_as_json(told, taken, dry_run=False) | {"compacted": report})
        return
    _tell(taken, told)
    tell_rest(taken.reached, is_dry=False, with_files=with_files, compacted=report is not None)
    if report is not None:
        note(f"compacted the store: {report['bytes_before']:,} bytes before, {report['bytes_after']:,} bytes now")


async def _take(services: "Services", told: "SentenceMatch", *, with_files: bool) -> "SentenceEdited":
    from voice.wiring.rewording import rewording_of

    return await rewording_of(services).take(told, with_files=with_files)


def _confirm(said: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("this deletes for good; preview it with --dry-run, then confirm with --yes")
    click.echo(f"would forget this sentence; {said}", err=True)
    answer = click.prompt('Type "forget" to confirm', default="", show_default=False, err=True)
    if str(answer).strip() != "forget":
        raise InvalidParams('you did not type "forget", so nothing was deleted')


def _tell(taken: "SentenceEdited", told: "SentenceMatch") -> None:
    found = taken.reached
    goes_on = f"its note is now {taken.note_id}" if taken.note_id else f"{told.row.id} said nothing else and is gone"
    click.echo(f"forgot this sentence; {goes_on}")
    if found.exchanges:
        turns = "turn of a conversation" if len(found.exchanges) == 1 else "turns of conversations"
        click.echo(f"  with it: {len(found.exchanges):,} {turns}")
    for line in still_said(found):
        click.echo(line)
    place = getattr(told.row, "source_ref", None)
    if taken.note_id and place:
        note(f"if {printable(place)} still says it, delete it there, too")


def _as_json(told: "SentenceMatch", taken: "SentenceEdited | None", *, dry_run: bool) -> dict[str, object]:
    found = taken.reached if taken else None
    return {
        "row": told.row.id,
        "note": taken.note_id if taken else None,
        "keeps_rest": bool(told.without()),
        "dry_run": dry_run,
        "done": taken is not None,
        "exchanges": [each.id for each in found.exchanges] if found else [],
        "still_said": [each.row.id for each in found.rows.still_said] if found else [],
        "files": list(found.files) if found else [],
    }
