"""`voice conflicts`: pairs that cannot both hold, and what becomes of them.

Law: nothing is looked for unless somebody asks. What is listed waits for review from then on, here and on the page,
until somebody says which one is right, which one has ended, or that both hold. What changes a row is shown first and
confirmed.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import click

from voice.core.errors import ConfigurationError
from voice.core.report.values import dollars
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.input import confirm
from voice.entrypoints.cli.terminal.printing import day_of, note, print_json, print_result, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, cli_origin, flag, moment, option, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.conflicts.pairs import Conflict, ConflictSide
    from voice.core.interchange.origin import Location
    from voice.entrypoints.shared.review import Places
    from voice.services.graph.conflicts import Act, ConflictRequest, ConflictsFound, Resolution, ResolvedConflict

_LIMIT = 50  # pairs shown at once


@click.command(cls=JsonCommand)
@click.argument("conflict_id", required=False, metavar="[d:ID]")
@option("--about", "Only pairs about this: an entity, an id, or words.", "X")
@option("--since", 'Only pairs with a statement from this time or later: "this month", 2026-03-05.', "WHEN")
@option("--limit", "Show at most this many.", type=click.IntRange(min=1), default=_LIMIT)
@option(
    "--verify",
    "Ask the verifier about N pairs (default 20): those found, and other close pairs. It may cost money.",
    "[N]",
    is_flag=False,
    flag_value=20,  # `--verify` alone
    type=click.IntRange(1, 200),
)
@flag("--no-review", "List the pairs without putting them up for review.")
@flag("--waiting", "List only what already waits for review.")
@option("--correct right", "This side is right; voice corrects the other side.", "1|2|ID")
@option("--end ended", "This side was true and has ended.", "1|2|ID")
@option("--on", "With --end: when it ended. Default: the date of the other side.", "WHEN")
@flag("--both", "Both are true; do not show the pair again.")
@flag("--private include_private", "Include private notes.")
@flag("--dry-run", "Show what would change, and change nothing.")
@flag("--yes", "Do not ask.")
def conflicts(
    *,
    conflict_id: str | None,
    about: str | None,
    since: str | None,
    limit: int,
    verify: int | None,
    no_review: bool,
    waiting: bool,
    right: str | None,
    ended: str | None,
    on: str | None,
    both: bool,
    include_private: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Find statements that cannot both be true, and settle them.

    Voice compares relations, fields of notes and sentences that differ only in a number, a date or a name. An entry
    about one day, such as a journal, does not conflict with another day. The pairs that it lists wait for review;
    `voice serve` also shows them. Settle a pair by its id: --correct, --end or --both.

    \b
    Examples:
      voice conflicts --about "Anna Lund" --since "this year"
      voice conflicts d:3f9c… --correct 2
      voice conflicts d:3f9c… --end 1 --on 2026-06-01
      voice conflicts d:3f9c… --both
    """
    acts = [name for name, said in (("correct", right), ("end", ended), ("both", both)) if said]
    if (conflict_id is None) is bool(acts) or len(acts) > 1:  # an id needs exactly one act, a list none
        raise click.UsageError(
            "to settle a pair, give its id and --correct, --end or --both; to list pairs, leave out all of these"
        )
    if conflict_id is not None:
        if about or since or verify or waiting or no_review or (on and not ended):  # --on is when something ended
            raise click.UsageError("an id cannot be combined with an option that lists pairs, and --on needs --end")
        from voice.services.graph.conflicts import Resolution

        resolution = Resolution(
            conflict_id=conflict_id,
            act=cast("Act", acts[0]),
            side=right or ended,
            on=moment(on, "--on"),
            by=cli_origin(),
            include_private=include_private,
        )
        _settle(resolution, dry_run=dry_run, yes=yes)
        return
    if on or dry_run or yes or (waiting and (about or since or verify or no_review)):
        raise click.UsageError(
            "--on, --dry-run and --yes need an id; --waiting cannot be combined with other options of the list"
        )
    from voice.services.graph.conflicts import ConflictRequest

    request = ConflictRequest(about=about, since=moment(since, "--since"), include_private=include_private)
    listing = partial(_search, request=request, limit=limit, verify=verify, waiting=waiting, no_review=no_review)
    found, places, put_up = run(listing)
    if wants_json():
        print_json(forms.review.conflicts_json(found, places, put_up=put_up))
    else:
        _list(found, places, waiting=waiting)


async def _add_opinions(
    services: "Services", request: "ConflictRequest", found: "ConflictsFound", most: int
) -> "ConflictsFound":
    """Return what was found with what the verifier says of it, and the near pairs that it calls contradicted."""
    asking = services.conflict_verifying  # None: no verifier is set
    if asking is None:
        raise ConfigurationError("no verifier is set: name a model with SURR_VERIFIER_MODEL, or leave --verify out")
    await asking.require_believed(include_private=request.include_private)  # refuses one that failed its test
    chosen = found.conflicts[:most]  # what room is left goes to near pairs
    near = await services.conflicts.near(request, most=most - len(chosen)) if len(chosen) < most else ()
    foreseen = asking.foresee((*chosen, *near))
    cost = f"{dollars(foreseen.expected)} expected, {dollars(foreseen.worst)} at most"
    note(f"asking {asking.calibrating.verifier.info.label} about {counted(len(chosen) + len(near), 'pair')}: {cost}")
    replies = await asking((*chosen, *near))
    if replies.unanswered:
        note(f"the verifier gave no opinion on {counted(replies.unanswered, 'pair')}")
    verified = {each.id: each for each in replies.verified}  # opinions, in place of the pairs below
    known = [verified.get(each.id, each) for each in found.conflicts]
    more = [verified[each.id] for each in near if each.id in verified]
    return replace(found, conflicts=(*known, *more), total=found.total + len(more))


async def _search(
    services: "Services", *, request: "ConflictRequest", limit: int, verify: int | None, waiting: bool, no_review: bool
) -> "tuple[ConflictsFound, Places, int]":
    if waiting:  # nothing is compared again
        found = await services.conflicts.waiting(include_private=request.include_private, limit=limit)
        return found, await forms.review.places_of(found.conflicts, services.source_locations), 0
    if request.about is not None:
        request = replace(request, about=await services.resolve_ids.one(request.about))
    found = await services.conflicts(request, limit=limit)
    if verify is not None:
        found = await _add_opinions(services, request, found, verify)  # it may add pairs that are put up, too
    put_up = 0 if no_review else await services.conflicts.put_up(found.conflicts)
    return found, await forms.review.places_of(found.conflicts, services.source_locations), put_up


def _list(found: "ConflictsFound", places: "Places", *, waiting: bool) -> None:
    for each in found.conflicts:
        click.echo("\n".join(_lines(each, places)))
    if not found.conflicts and waiting:
        note("no conflicts wait for review")
    elif not found.conflicts:  # what was compared is told, so that an empty list does not read as an all-clear
        compared = counted(found.compared, "entry", "entries")
        note(f"no conflicts found; compared {compared} for the same words with another number, date, name or a denial")
        note("conflicts in other words are not compared; --verify asks the verifier about the nearest pairs")
    if found.total > len(found.conflicts):
        note(f"{found.total - len(found.conflicts):,} more; show them with --limit, or narrow the list with --about")
    if found.agreed:
        note(f"{counted(found.agreed, 'pair')} not shown, because you said that both are true")


def _lines(conflict: "Conflict", places: "Places") -> list[str]:
    verified = ", verified" if conflict.is_verified else ""
    sides = enumerate((conflict.one, conflict.other), start=1)
    is_same = conflict.one.place.row_id == conflict.other.place.row_id
    hint = f"     one entry says both; keep one: voice conflicts {conflict.id} --correct 1 (or 2), or --both"
    return [
        f"{conflict.id}  {forms.review.conflict_reason(conflict)}{verified}",
        *(f"  {number}  {_side(side, places.get(forms.review.place_of(side)))}" for number, side in sides),
        *([hint] if is_same else ()),
    ]


def _side(side: "ConflictSide", at: "Location | None") -> str:
    place = f"  {printable(at.label_beside_date)}" if at is not None else ""
    return f"{day_of(side.told_at)}{place}  {side.place.row_id}  {printable(' '.join(side.said.split()))}"


def _settle(resolution: "Resolution", *, dry_run: bool, yes: bool) -> None:
    async def work(services: "Services") -> "ResolvedConflict":
        meant = replace(resolution, conflict_id=await services.resolve_ids.one(resolution.conflict_id))
        if resolution.side is not None:  # "1", "2" or an id
            meant = replace(meant, side=await services.resolve_ids.one(resolution.side))
        return await services.settling(meant, dry_run=dry_run or is_asked)

    # `both` changes no row, so it is not shown and confirmed first.
    is_asked = resolution.act != "both" and not (dry_run or yes)
    resolved = run(work)
    if is_asked:
        click.echo("\n".join(_outcome_lines(resolved, would=True)), err=True)
        confirm("Change it", yes=False, what="changes your memory")
        is_asked = False  # `work` reads it: the second run changes something
        resolved = run(work)
    fault = resolved.corrected and resolved.corrected.fault
    tell_unembedded(1 if fault else 0, fault)
    print_result(lambda: forms.review.resolved_json(resolved, dry_run=dry_run), _outcome_lines(resolved, would=dry_run))


def _outcome_lines(resolved: "ResolvedConflict", *, would: bool) -> list[str]:
    if resolved.corrected is None:
        are = "would be" if would else "are"
        return [f"{resolved.conflict.id}  both {are} true; voice does not show the pair again"]
    replaced, (changed, kept) = resolved.corrected.replaced, resolved.sides
    is_end = resolved.state == "ended"
    old_words, new_words = (printable(" ".join(side.said.split())) for side in (changed, kept))
    lines = [f"{replaced}  {'would be ' if would else ''}{'ended' if is_end else 'corrected'}: {old_words}"]
    if not is_end:
        is_same = changed.place.row_id == kept.place.row_id  # two sentences of one row: the wrong one goes
        lines.append(f"    {'is deleted; the entry keeps' if is_same else 'becomes'}: {new_words}")
    if resolved.along:
        ends = "would also end" if would else "also ended"
        lines.append(f"    {counted(resolved.along, 'other sentence')} of the same entry {ends}")
    return lines
