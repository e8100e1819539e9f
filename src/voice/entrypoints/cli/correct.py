"""`voice correct`: say what is true instead.

Law: the person's own words take the place of a row, and the old ones stay, superseded (ruling F). Of several sentences
one is meant and the others stay; a statement's note follows where the person says so (ruling I9). What is printed are
ids and counts, and what other rows say that contradicts it or still says the old words: never what a private row says.
The sentence that the person names shows before it is replaced; that of a private note only with `--private`.
"""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import click

from voice.core.records import Observation, RowStatus, Thought
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.memory import review_backlog, tell_unembedded, tell_unstaged
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.input import can_ask, choose_sentence, confirm, find_sentence, show_sentence
from voice.entrypoints.cli.terminal.printing import note, print_result, wants_json
from voice.entrypoints.cli.terminal.request_options import options_said, request_options
from voice.entrypoints.cli.terminal.runtime import JsonCommand, cli_origin, flag, option, run, stdin_text
from voice.requests import filled, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voice.bootstrap import Services
    from voice.core.graph.thoughts.sentence_edits import SentenceMatch
    from voice.services.graph.correct import Corrected, CorrectRequest
    from voice.services.graph.extraction import Arrived

_ID = re.compile(r"[a-z]{1,2}:\S+")  # "t:01jq…"; words with a colon hold a blank


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """How a correction is to be done."""

    within: tuple[str, ...]
    sentence: str | None
    in_note: bool | None  # whether a statement's note follows; None: the person is asked
    include_private: bool
    dry_run: bool
    yes: bool
    asks: bool  # whether a row is shown before and after, and confirmed, and a statement corrected in its note


@click.command(cls=JsonCommand)
@option("--in within", "The id of the entry to change, if several hold the words.", "ID", multiple=True)
@option("--sentence", "Which sentence of ID to replace; the others stay.", "NUMBER|all")
@option("--note/--no-note in_note", "Correct a sentence also in its note, or only the sentence.", default=None)
@request_options(rows.CORRECT)
@flag("--private include_private", "Show the words of private entries, too.")
@flag("--yes", "Do not ask.")
@flag("--ask asks", "With an ID: show it before and after, and ask, as for WORDS.", hidden=True)
def correct(
    *,
    row_id: str,
    text: str | None,
    within: tuple[str, ...],
    sentence: str | None,
    in_note: bool | None,
    include_private: bool,
    dry_run: bool,
    yes: bool,
    asks: bool,
    **options: object,
) -> None:
    """Replace words in your memory that are wrong or outdated.

    Type enough WORDS to tell the sentence from others. TEXT replaces them, and the rest of the sentence stays; you see
    the sentence before and after, and confirm. Or name an ID (t:…, o:…, r:… or e:…), as `voice retrieve` and `voice kg
    show` print it: TEXT then replaces one sentence of it, or all, or the description of a relation or an entity. `-`
    reads TEXT from a pipe; without TEXT, only the time or the target changes. `voice ask --as-of` still finds the old
    words. Sentences taken from the note, pins and summaries follow the correction.

    \b
    Examples:
      voice correct "fires on Tuesdays" "fires on Thursdays"
      voice correct o:01jq… "Anna lives in Lisbon." --since 2026-06-01 --reason "she moved"
      voice correct t:01jq… "The kiln runs at cone 10." --sentence 2
      voice correct r:01jq… --to "Clay Co" --since 2026-01-01
    """
    words = stdin_text(text, what="the new words") if text == "-" else text
    is_dated = bool(options["since"] or options["until"] or options["target"])  # these need no new words
    if words is None and not is_dated:
        raise click.UsageError("give the new words, or --since, --until or --to")
    told = {"include_private": include_private, "dry_run": dry_run, "yes": yes, "asks": asks}
    how = _How(within=within, sentence=sentence, in_note=in_note, **told)
    if _ID.fullmatch(row_id):  # an id, not words of a sentence
        from voice.services.graph.correct import CorrectRequest

        said = options_said(rows.CORRECT, {**options, "row_id": row_id, "text": words})
        request = filled(CorrectRequest(row_id="", author=cli_origin()), said)
        _tell_outcome(_correct_row(request, how), how)
        return
    if words is None or is_dated:  # a date belongs to one row, not to words that may stand in several
        raise click.UsageError("--since, --until and --to need an id; `voice retrieve` shows ids")
    if sentence or in_note is False:  # words are corrected in their note, one sentence at a time
        raise click.UsageError("--sentence and --no-note need an id; `voice retrieve` shows ids")
    match = find_sentence(row_id, within, name_it="--in", include_private=include_private)
    _confirm_becoming(match, words, how)
    done = _correct_in_note(match, words, cast("str | None", options["reason"]), how)
    _tell_outcome(done, how)


def _confirm_becoming(match: "SentenceMatch | None", words: str, how: _How) -> None:
    # Of a private note, only the new words show.
    is_shown = match is not None and (how.include_private or not match.row.is_private)
    said = match.changed(words) if match is not None and is_shown else words
    click.echo(f"    becomes: {printable(said)}", err=True)
    if not how.dry_run:
        confirm("Correct the sentence in its note?", yes=how.yes, what="changes your note")


def _correct_row(request: "CorrectRequest", how: _How) -> "tuple[Corrected, Arrived | None]":
    """Correct a row that was named: whole, or one sentence of it, in the row alone or in its note."""
    from voice.core.graph.thoughts.sentence_edits import sentence_at, text_of

    async def look(services: "Services") -> "tuple[str, Observation | Thought | None, SentenceMatch | None]":
        whole_id = await services.resolve_ids.one(request.row_id)
        row = (await services.store.fetch([whole_id])).get(whole_id)
        # Entities and relations have no sentences; nor is there one to choose without new words.
        if not isinstance(row, Thought | Observation) or row.status is not RowStatus.ACTIVE or request.text is None:
            return whole_id, None, None
        return whole_id, row, await services.sentence_edits.in_note(row, 0, len(text_of(row)))

    whole_id, row, whole = run(look)
    request = replace(request, row_id=whole_id)
    span = None if row is None else choose_sentence(row, how.sentence, include_private=how.include_private)
    match = None if row is None else sentence_at(row, *(span or (0, len(text_of(row)))))
    if whole is not None and _corrects_note(request, how):  # the statement is in a note, which follows
        match = whole if span is None else run(lambda services: services.sentence_edits.at(whole_id, *span))
        _confirm_shown(request, match, how)
        return _correct_in_note(match, request.text or "", request.reason, how)
    _confirm_shown(request, match, how)
    if match is not None and span is not None:  # put back into the text around it
        request = replace(request, text=match.put(request.text or ""))
    return _correct_whole(request, how)


def _confirm_shown(request: "CorrectRequest", match: "SentenceMatch | None", how: _How) -> None:
    """Show a row that was named before and after, and ask, where that is wanted."""
    if not how.asks:
        return
    if match is None:
        click.echo(request.row_id, err=True)
    else:
        show_sentence(match, include_private=how.include_private)
    _confirm_becoming(match, request.text or "", how)


def _corrects_note(request: "CorrectRequest", how: _How) -> bool:
    if request.since or request.until:  # what was true then stays in the note
        if how.in_note:
            raise click.UsageError("--since and --until apply to a sentence, not to its note; leave out --note")
        return False
    if how.asks and how.in_note is None:
        return True
    if how.in_note is not None or how.dry_run or how.yes or not can_ask():
        return bool(how.in_note)  # nobody to ask: as --note says
    return click.confirm("Also correct it in its note?", default=True, err=True)


def _correct_in_note(
    match: "SentenceMatch", words: str, reason: str | None, how: _How
) -> "tuple[Corrected, Arrived | None]":
    async def work(services: "Services") -> "tuple[Corrected, Arrived | None]":
        done = await services.sentence_edits.correct(match, words, reason=reason, dry_run=how.dry_run)
        return done, await _extract_candidates(services, done, how)

    return run(work)


def _correct_whole(request: "CorrectRequest", how: _How) -> "tuple[Corrected, Arrived | None]":
    async def work(services: "Services") -> "tuple[Corrected, Arrived | None]":
        to = None if request.target is None else await services.resolve_ids.one(request.target)
        done = await services.correcting(replace(request, target=to), dry_run=how.dry_run)
        return done, await _extract_candidates(services, done, how)

    return run(work)


async def _extract_candidates(services: "Services", done: "Corrected", how: _How) -> "Arrived | None":
    is_read = done.row_id.startswith("t:") and not how.dry_run  # new words may name new things
    return await services.extracting.arrived([done.row_id]) if is_read else None


def _tell_outcome(outcome: "tuple[Corrected, Arrived | None]", how: _How) -> None:
    corrected, arrived = outcome
    tell_unembedded(1 if corrected.fault else 0, corrected.fault)  # the words are stored either way (ruling C17)
    if arrived is not None:
        tell_unstaged(arrived.fault)
        staged = arrived.staged
        if staged.pending_entities or staged.pending_relations:
            note(f"the new words name {review_backlog(staged.pending_entities, staged.pending_relations)}")
    if corrected.is_repeated and not wants_json():
        note(f"you already corrected {corrected.replaced} like this")
    print_result(
        lambda: forms.rows.corrected_json(corrected, dry_run=how.dry_run), _lines(corrected, dry_run=how.dry_run)
    )


def _lines(corrected: "Corrected", *, dry_run: bool) -> "Iterator[str]":
    followed = [
        f"{counted(corrected.reworded, 'sentence')} replaced" if corrected.reworded else "",
        f"{counted(len(corrected.moved), 'entry', 'entries')} updated" if corrected.moved else "",
        f"{counted(corrected.pins, 'pin')} moved" if corrected.pins else "",
    ]
    changes = ", ".join(part for part in followed if part)
    if dry_run:
        yield f"would replace {corrected.replaced}{': ' + changes if changes else ''}"
    else:
        yield f"{corrected.row_id}  replaces {corrected.replaced}{', ' + changes if changes else ''}"
    for other in corrected.contradicts:
        yield f"    contradicts {other.id}  {printable(other.said)}"
    for other in corrected.still_says:
        yield f"    {other.id} still says this; correct it as well: {printable(other.said)}"
