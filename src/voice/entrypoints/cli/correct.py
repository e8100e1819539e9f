"""`voice correct`: say what is true instead.

Law: the person's own words take the place of a row, and the old ones stay, superseded (ruling F). Of several sentences
one is meant and the others stay; a statement's note follows where the person says so (ruling I9). What is printed are
ids and counts, and what other rows say that contradicts it or still says the old words: never what a private row says,
but the sentence that the person names.
"""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from voice.core.text.counting import counted
from voice.entrypoints.cli.memory import tell_unembedded, tell_unstaged, waiting
from voice.entrypoints.cli.printing import note, print_json, printable
from voice.entrypoints.cli.rewording import confirm, find_one, is_asked, which_sentence
from voice.entrypoints.cli.runtime import json_option, moment, run, stdin_text

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.wording import Wording
    from voice.services.correcting import Corrected, CorrectRequest
    from voice.services.extracting import Arrived
    from voice.services.staging import Staged

_ID = re.compile(r"[a-z]{1,2}:\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """How a correction is to be done."""

    within: tuple[str, ...]
    sentence: str | None
    in_note: bool | None
    """Whether a statement's note follows; None: the person is asked."""
    dry_run: bool
    yes: bool


@click.command()
@click.argument("what", metavar="ID|WORDS")
@click.argument("text", required=False)
@click.option("--in", "within", multiple=True, metavar="ID", help="Of several rows that say the words, this one.")
@click.option("--sentence", metavar="NUMBER|all", help="Which sentence of the row ID; the others stay.")
@click.option("--note/--no-note", "in_note", default=None, help="Correct a statement in its note, too, or not.")
@click.option("--reason", metavar="WORDS", help="Why; kept with what was replaced.")
@click.option("--since", metavar="WHEN", help="Since when it is true; the old value was true until then.")
@click.option("--until", metavar="WHEN", help="From when on it is no longer true.")
@click.option("--to", "target", metavar="NAME", help="Where a relation points instead: an entity's id, name or alias.")
@click.option("--dry-run", is_flag=True, help="Change nothing; say what would follow.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def correct(
    ctx: click.Context,
    *,
    what: str,
    text: str | None,
    within: tuple[str, ...],
    sentence: str | None,
    in_note: bool | None,
    reason: str | None,
    since: str | None,
    until: str | None,
    target: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Put other words in the place of old ones, of a sentence, a row, or what is said of an entity.

    WORDS are as much of a sentence as tells it from others. TEXT takes the place of these words, and the rest of the
    sentence stays; you see it before and after, and confirm it. Or name a row by its ID (t:…, o:…, r:… or e:…), as
    `voice retrieve` and `voice kg show` print it: TEXT takes the place of one of its sentences, or of all of them; of a
    relation or an entity, of its description. `-` reads a pipe; left out, only the time or the target changes. The old
    value stays and can be asked for with --as-of; statements distilled from a corrected note, pins and summaries
    follow.

    \b
    Examples:
      voice correct "fires on Tuesdays" "fires on Thursdays"
      voice correct o:01jq… "Anna lives in Lisbon." --since 2026-06-01 --reason "she moved"
      voice correct t:01jq… "The kiln runs at cone 10." --sentence 2
      voice correct r:01jq… --to "Clay Co" --since 2026-01-01
    """
    words = stdin_text(text, what="what is true instead") if text == "-" else text
    if words is None and not (since or until or target):
        raise click.UsageError("say what is true instead, or since when, until when or where to")
    how = _How(within=within, sentence=sentence, in_note=in_note, dry_run=dry_run, yes=yes)
    if _ID.fullmatch(what):
        from voice.core.interchange.arrival import Entrance, ceiling_of
        from voice.services.correcting import CorrectRequest

        request = CorrectRequest(
            row_id=what,
            text=words,
            target=target,
            reason=reason,
            since=moment(ctx, since, "--since"),
            until=moment(ctx, until, "--until"),
            author=ceiling_of(Entrance.CLI),
        )
        _told(_of_row(ctx, request, how), how, as_json=as_json)
        return
    if words is None or since or until or target:
        raise click.UsageError("--since, --until and --to are of one row; name it by its id, as `voice retrieve` shows")
    if sentence or in_note is False:
        raise click.UsageError("--sentence and --no-note are of a row that is named by its id")
    _told(_by_words(ctx, what, words, reason, how), how, as_json=as_json)


def _by_words(
    ctx: click.Context, old: str, new: str, reason: str | None, how: _How
) -> "tuple[Corrected, Arrived | None]":
    told = find_one(ctx, old, how.within, name_it="--in")
    click.echo(f"    instead: {printable(told.changed(new))}", err=True)
    if not how.dry_run:
        confirm("Correct it in its note", yes=how.yes, what="changes your note")
    return _in_note(ctx, told, new, reason, how)


def _of_row(ctx: click.Context, request: "CorrectRequest", how: _How) -> "tuple[Corrected, Arrived | None]":
    """Correct a row that was named: whole, or one sentence of it, in the row alone or in its note."""
    from voice.core.graph.wording import sentence_at, text_of
    from voice.core.records import Observation, RowStatus, Thought

    async def look(services: "Services") -> "tuple[str, Observation | Thought | None, Wording | None]":
        from voice.wiring.rewording import rewording_of

        meant = await services.resolve_ids.one(request.row_id)
        row = (await services.store.fetch([meant])).get(meant)
        if not isinstance(row, Thought | Observation) or row.status is not RowStatus.ACTIVE or request.text is None:
            return meant, None, None
        return meant, row, await rewording_of(services).in_note(row, 0, len(text_of(row)))

    meant, row, whole = run(ctx, look)
    request = replace(request, row_id=meant)
    span = None if row is None else which_sentence(row, how.sentence)
    if row is not None and whole is not None and _follows(request, how):
        told = whole if span is None else run(ctx, lambda services: _same_in_note(services, meant, span))
        return _in_note(ctx, told, request.text or "", request.reason, how)
    if row is not None and span is not None:
        said = sentence_at(row, *span)
        assert said is not None, "it is one of the row's sentences"
        request = replace(request, text=said.put(request.text or ""))
    return _whole(ctx, request, how)


def _follows(request: "CorrectRequest", how: _How) -> bool:
    """Return whether a statement is corrected in its note.

    Raises:
        click.UsageError: it is to be, and has a time of its own.
    """
    if request.since or request.until:
        if how.in_note:
            raise click.UsageError(
                "--since and --until are of the statement, and its note has no such time; drop --note"
            )
        return False
    if how.in_note is not None or how.dry_run or how.yes or not is_asked():
        return bool(how.in_note)
    return click.confirm("Correct it in its note, too", default=True, err=True)


async def _same_in_note(services: "Services", row_id: str, span: tuple[int, int]) -> "Wording":
    from voice.wiring.rewording import rewording_of

    return await rewording_of(services).at(row_id, *span)


def _in_note(
    ctx: click.Context, told: "Wording", words: str, reason: str | None, how: _How
) -> "tuple[Corrected, Arrived | None]":
    async def work(services: "Services") -> "tuple[Corrected, Arrived | None]":
        from voice.wiring.rewording import rewording_of

        done = await rewording_of(services).correct(told, words, reason=reason, dry_run=how.dry_run)
        return done, await _read(services, done, how)

    return run(ctx, work)


def _whole(ctx: click.Context, request: "CorrectRequest", how: _How) -> "tuple[Corrected, Arrived | None]":
    async def work(services: "Services") -> "tuple[Corrected, Arrived | None]":
        to = None if request.target is None else await services.resolve_ids.one(request.target)
        done = await services.correcting(replace(request, target=to), dry_run=how.dry_run)
        return done, await _read(services, done, how)

    return run(ctx, work)


async def _read(services: "Services", done: "Corrected", how: _How) -> "Arrived | None":
    is_read = done.row_id.startswith("t:") and not how.dry_run
    return await services.extracting.arrived([done.row_id]) if is_read else None


def _told(came: "tuple[Corrected, Arrived | None]", how: _How, *, as_json: bool) -> None:
    done, arrived = came
    tell_unembedded(1 if done.fault else 0, done.fault)
    if arrived is not None:
        tell_unstaged(arrived.fault)
        _tell_staged(arrived.staged)
    if as_json:
        from voice.entrypoints.forms.graph import corrected_json

        print_json(corrected_json(done, dry_run=how.dry_run))
        return
    _tell(done, dry_run=how.dry_run)
    for other in done.contradicts:
        click.echo(f"    against {other.id}  {printable(other.said)}")
    for other in done.still_says:
        click.echo(f"    {other.id} still says this, so correct it, too: {printable(other.said)}")


def _tell_staged(staged: "Staged") -> None:
    if staged.pending_entities or staged.pending_relations:
        note(f"the new words name {waiting(staged.pending_entities, staged.pending_relations)}")


def _tell(done: "Corrected", *, dry_run: bool) -> None:
    if done.is_repeated:
        note(f"{done.replaced} was corrected like this before")
    followed = [
        f"{counted(len(done.superseded), 'row')} superseded with it" if done.superseded else "",
        f"{counted(len(done.moved), 'row')} moved along" if done.moved else "",
        f"{counted(done.pins, 'pin')} moved along" if done.pins else "",
    ]
    said = ", ".join(part for part in followed if part)
    if dry_run:
        click.echo(f"{done.replaced} would be replaced{': ' + said if said else ''}")
    else:
        click.echo(f"{done.row_id}  replaces {done.replaced}{', ' + said if said else ''}")
