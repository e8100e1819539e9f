"""`voice organise` (the tool `inner_voice`), and what puts the graph in order: `voice kg stage`, `merge` and `unmerge`.

Law: the answer goes to stdout with the sources it is made of; what was staged, kept and marked beside it. Nothing found
is no answer: it is said, nothing is kept, and the exit code says so, too. Only entities that a person named are merged;
`voice kg duplicates` suggests and changes nothing (ruling F).
"""

from typing import TYPE_CHECKING

import click

from voice.core.text.display import counted, printable, printable_block
from voice.core.text.instants import render_instant
from voice.entrypoints.cli.memory import review_backlog, tell_unembedded
from voice.entrypoints.cli.terminal.printing import day_of, note, print_json, print_result, wants_json
from voice.entrypoints.cli.terminal.request_options import reading_options, scopes_said
from voice.entrypoints.cli.terminal.runtime import (
    JsonCommand,
    cli_origin,
    flag,
    former,
    option,
    progress,
    run,
    stdin_text,
)
from voice.entrypoints.shared.notes import staged_json
from voice.requests import filled

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.entities.merge import Merge
    from voice.core.graph.review.extraction_results import Extractor
    from voice.core.organise import OrganiseResult
    from voice.core.records import Entity
    from voice.services.graph.entity_merge import Merged
    from voice.services.graph.staging import Staged

_EXIT_REFUSED = 3  # as `ask` ends with a refusal
_EXTRACTORS = ("rules", "llm", "both")


@click.command(cls=JsonCommand)
@click.argument("content", metavar="[QUESTION]", required=False)
@option("-k --top-k", "Use at most this many notes (1-50; default: SURR_TOP_K).", type=int)
@option("--sim-thresh", "The lowest cosine similarity of a note (default: SURR_SIM_THRESH).", type=float)
@flag("--stage-kg", "Look for entities and relations in the notes, which then wait for review.")
@option("--confidence-min", "Take only candidates with at least this confidence.", "SHARE", type=float)
@option("--max-nodes", "Take at most this many entities (30).", "N", type=int)
@option("--max-edges", "Take at most this many relations (60).", "N", type=int)
@option("--save/--no-save", "Keep the answer as a thought that is never a source.", default=True)
@option(
    "--auto-mark-removal/--no-auto-mark-removal",
    "Mark a note for removal when something from it is staged (default: SURR_AUTO_MARK_REMOVAL).",
    default=None,
)
@flag("--private include_private", "Include private notes.")
@reading_options
@flag("--dry-run", "Answer, show what would happen, and change nothing.")
def organise(content: str | None, *, stage_kg: bool, **options: object) -> int:
    """Answer in the words of your notes, and keep the answer.

    It asks no model: the answer is the first lines of the best three notes. Voice keeps it as a thought of its own,
    which is never a source. --stage-kg puts the entities and relations of the notes into the queue of `voice kg
    review`. --auto-mark-removal marks the notes it took them from: searches no longer find these notes, and `voice
    removals unmark` undoes that.

    \b
    Examples:
      voice organise "the kiln"
      voice organise "who works where" --stage-kg --dry-run
      voice organise "the move" --stage-kg --auto-mark-removal --json
    """
    from voice.core.organise import OrganiseRequest, render_organised

    own = OrganiseRequest(content=stdin_text(content, what="what to look for"), stage_kg=stage_kg)
    request = filled(own, {**options, **scopes_said(options)})
    organised = run(lambda services: services.organise(request), gated=True)
    for warning in organised.warnings:
        note(warning)
    if wants_json():
        print_json(render_organised(organised))
    elif organised.sources:
        _tell(organised, stages=stage_kg)
    if organised.sources:
        return 0
    note("no note comes close enough to answer; try other words, or a lower --sim-thresh. Nothing was stored")
    return _EXIT_REFUSED


def _tell(organised: "OrganiseResult", *, stages: bool) -> None:
    click.echo(printable_block(organised.synthesized_answer))
    for number, source in enumerate(organised.sources, start=1):
        click.echo(f"{number:>2}. {source.similarity:.3f}  {source.thought_id}  {printable(source.excerpt)}")
    would = "would be " if organised.dry_run else ""
    if organised.saved_thought_id is not None:
        click.echo(f"stored as {organised.saved_thought_id}")
    if stages:
        waiting = review_backlog(organised.pending_entities, organised.pending_relationships, "nothing")
        click.echo(f"{would}staged: {waiting}")
    if organised.marked_for_removal:
        click.echo(f"{would}marked for removal: {counted(organised.marked_for_removal, 'note')}")
        if not organised.dry_run:
            note("`voice removals list` lists them, and `voice removals unmark` undoes this")


@click.command(cls=JsonCommand)
@click.argument("ids", nargs=-1, metavar="[T:ID]…")
@flag("--dry-run", "Show what would be staged, without a model call, and change nothing.")
@option(
    "--extractor",
    "What reads the notes: rules (offline), llm (a model, at its price), or both (default: SURR_EXTRACTOR).",
    type=click.Choice(_EXTRACTORS),
)
def stage(ids: tuple[str, ...], dry_run: bool, extractor: "Extractor | None") -> None:
    """Look for entities and relations in stored notes.

    What it finds waits for `voice kg review`. Without ids, it looks in all notes. Voice does this for every new note,
    unless SURR_AUTO_CANDIDATES=0; use this command for older notes, or after a failure. Looking at a note again changes
    nothing, and what you rejected does not come back.

    A language model works under the spending caps. Voice keeps only what the note itself supports. It does not show the
    model notes that read like instructions, or private notes if the model runs on another machine.

    \b
    Examples:
      voice kg stage --dry-run
      voice kg stage t:01jq…
      voice kg stage --extractor both
    """

    async def work(services: "Services") -> "Staged":
        done = 0
        with progress() as advance:

            def step(notes: int) -> None:
                nonlocal done
                done += notes
                advance("reading", done, len(ids) or None)  # None: how many there are is not known

            meant = await services.resolve_ids(ids) if ids else None
            return await services.extracting.stage_stored(meant, dry_run=dry_run, extractor=extractor, progress=step)

    staged = run(work)
    would = "would be " if dry_run else ""
    told = f"{would}staged: {review_backlog(staged.pending_entities, staged.pending_relations)}"
    print_result(staged_json(staged, dry_run=dry_run), told)
    if not wants_json():
        _tell_beside(staged)


def _tell_beside(staged: "Staged") -> None:
    for count, what in (
        (staged.grown, "got further mentions"),
        (staged.rejected, "stays rejected" if staged.rejected == 1 else "stay rejected"),
        (staged.forgotten, "stays forgotten" if staged.forgotten == 1 else "stay forgotten"),
        (staged.unsupported, "from the model left out, because the notes do not support it"),
    ):
        if count:  # nothing is said of what did not happen
            note(f"{count} {what}")
    if staged.unread:
        why = "did not reach the model or brought no usable reply: private, too long, or like instructions"
        note(f"{counted(staged.unread, 'note')} {why}")


_REASON = option("--reason", "The reason, stored with the old entries.", "WORDS")
_ANYTHING = "concept"  # the type of what nobody said more of; it may be part of anything
_DRY_RUN = flag("--dry-run", "Show what would change, and change nothing.")


@click.command(cls=JsonCommand)
@click.argument("kept", metavar="ENTITY", required=False)
@click.argument("absorbed", metavar="OTHER", required=False)
@flag("--list lists", "List merges, the latest first, including those you undid.")
@_REASON
@flag("--private allow_private", "Merge with a private entity; the result is private. With --list: show private names.")
@_DRY_RUN
def merge(
    kept: str | None, absorbed: str | None, lists: bool, reason: str | None, allow_private: bool, dry_run: bool
) -> None:
    """Merge OTHER into ENTITY.

    ENTITY keeps its id, name and type, and takes over OTHER's names, words and sources. Both are ids, names or aliases;
    if a name fits several entities, give ids. `voice ask --as-of` still finds the state before; `voice kg unmerge`
    undoes the merge.

    \b
    Examples:
      voice kg merge "Anna Lund" Anna --dry-run
      voice kg merge e:01jq… e:01jr… --reason "the same person"
      voice kg merge --list
    """
    if lists:
        if kept:
            raise click.UsageError("--list takes no entities; leave them out")
        _list(include_private=allow_private)
        return
    if kept is None or absorbed is None:
        raise click.UsageError("name two entities, or use --list")
    named = (kept, absorbed)

    async def work(services: "Services") -> "Merged":
        one, other = await services.resolve_ids(named)  # names or ids, each of one entity
        return await services.merging.merge(
            one, other, reason=reason, by=cli_origin(), allow_private=allow_private, dry_run=dry_run
        )

    became = "would become part of" if dry_run else "is part of"
    _tell_merge(run(work), became, dry_run=dry_run)


merges = former(merge, "merges", "kg merge --list", keeps="as_json", lists=True)


@click.command(cls=JsonCommand)
@click.argument("merge_id", metavar="m:ID")
@_REASON
@_DRY_RUN
def unmerge(merge_id: str, reason: str | None, dry_run: bool) -> None:
    """Undo a merge: both entities are as they were before it.

    What you have added since stays with the remaining entity; the command lists it, so that you can move it.

    \b
    Example: voice kg unmerge m:01jq…
    """

    async def work(services: "Services") -> "Merged":
        whole_id = await services.resolve_ids.one(merge_id)
        return await services.merging.unmerge(whole_id, reason=reason, by=cli_origin(), dry_run=dry_run)

    became = "would no longer be part of" if dry_run else "is no longer part of"
    _tell_merge(run(work), became, dry_run=dry_run)


def _list(*, include_private: bool) -> None:
    entries = run(lambda services: services.merging.merges())
    if not (entries or wants_json()):
        note("no merges yet; `voice kg duplicates` lists entities that may be the same")
    lines = (_merge_line(*each, include_private=include_private) for each in entries)
    print_result([_merge_json(each) for each, _, _ in entries], lines)


def _merge_line(each: "Merge", kept: "Entity | None", absorbed: "Entity | None", *, include_private: bool) -> str:
    undone = f", undone {day_of(each.undone_at)}" if each.undone_at else ""
    rows, ids = (absorbed, kept), (each.absorbed, each.kept)
    # One private name would tell of the other, so both are left out.
    is_shown = include_private or not any(row is not None and row.is_private for row in rows)
    both = " part of ".join(_named(row, row_id, is_shown=is_shown) for row, row_id in zip(rows, ids, strict=True))
    return f"{each.id}  {day_of(each.at)}  {printable(both)}{undone}"


def _named(entity: "Entity | None", row_id: str, *, is_shown: bool) -> str:
    """Return an entity as the list calls it; one that does not show, and one that is gone, by its id alone."""
    return f"{entity.name} ({row_id})" if entity is not None and is_shown else row_id


def _tell_merge(merged: "Merged", became_words: str, *, dry_run: bool) -> None:
    tell_unembedded(1 if merged.fault else 0, merged.fault)  # the rows are stored either way (ruling C17)
    if wants_json():
        print_json(_merged_json(merged, dry_run=dry_run))
        return
    undone = merged.merge.undone_at is not None
    parts = [
        f"{counted(len(merged.moved), 'row')} moved {'back' if undone else 'along'}" if merged.moved else "",
        *_ended(merged),
        f"{counted(merged.pins, 'pin')} moved along" if merged.pins else "",
    ]
    effects = "".join(f", {part}" for part in parts if part)
    head = "" if dry_run else f"{merged.merge.id}  "
    one, other = (_named(row, row.id, is_shown=not row.is_private) for row in (merged.absorbed, merged.kept))
    both = f"{one} {became_words} {other}"
    click.echo(head + printable(f"{both}{effects}"))
    types = {merged.kept.entity_type, merged.absorbed.entity_type}  # a person merged into a place is probably a slip
    if not undone and len(types) > 1 and _ANYTHING not in types:  # after undoing there is nothing to warn of
        became = "would become" if dry_run else "became"
        hint = "" if dry_run else f"; if that is wrong: voice kg unmerge {merged.merge.id}"
        note(f"a {merged.absorbed.entity_type} {became} part of a {merged.kept.entity_type}{hint}")
    if merged.stayed:
        stayed = ", ".join(merged.stayed)
        note(f"added since and still about {merged.kept.id}: {stayed}; `voice correct` can change them")


def _ended(merged: "Merged") -> list[str]:
    """Return what is told of relations: those that one of the two says already, and those that led between them."""
    if merged.merge.undone_at is not None:
        return [f"{counted(len(merged.ended), 'relation')} again"] if merged.ended else []
    repeated = sum(each.into is not None for each in merged.merge.ended)  # `into` is the relation that says the same
    between = len(merged.merge.ended) - repeated
    return [
        f"{counted(repeated, 'relation')} said the same" if repeated else "",
        f"{counted(between, 'relation')} between the two ended" if between else "",
    ]


def _merged_json(merged: "Merged", *, dry_run: bool) -> dict[str, object]:
    return {
        **_merge_json(merged.merge),
        "id": None if dry_run and merged.merge.undone_at is None else merged.merge.id,
        "moved": [*merged.moved],
        "ended": [*merged.ended],
        "stayed": [*merged.stayed],
        "pins": merged.pins,
        "embedded": merged.fault is None,
        "dry_run": dry_run,
    }


def _merge_json(each: "Merge") -> dict[str, object]:
    return {
        "id": each.id,
        "kept": each.kept,
        "absorbed": each.absorbed,
        "at": render_instant(each.at),
        "by": each.by.value,
        "undone_at": None if each.undone_at is None else render_instant(each.undone_at),
    }
