"""`voice kg candidates`, `approve`, `reject`, `alias`, `edit`: what was found in notes and waits for a person.

Law: nothing that was found is in the graph before a person says so here. Several ids are one batch: all of it happens
or none of it. With `--dry-run` everything is decided and nothing is written. Private candidates show only with
`--private`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import CandidateStatus, Cursor, EntityProposal
from voice.core.graph.review.decisions import Alias, Approve, Place, Reject, parse_conditions
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.input import confirm
from voice.entrypoints.cli.terminal.printing import day_of, note, print_first, print_json, print_result, wants_json
from voice.entrypoints.cli.terminal.request_options import options_said, request_options
from voice.entrypoints.cli.terminal.runtime import JsonCommand, cli_origin, flag, option, run
from voice.requests import rows

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.review.candidates import Proposal
    from voice.core.graph.review.decisions import Decision
    from voice.core.graph.review.promotion import Step
    from voice.ports.review_stores import CandidateFilter
    from voice.services.graph.moderation import CandidateView, Moderated, Page

_OUTCOMES = {  # what a step did, and what it would do in a dry run
    "created": ("is now in the graph as", "would be in the graph as"),
    "merged": ("is now part of", "would become part of"),
    "aliased": ("is now another name of", "would become another name of"),
    "rejected": ("is rejected", "would be rejected"),
    "reopened": ("waits for review again", "would wait for review again"),
    "edited": ("is changed", "would be changed"),
    "unchanged": ("stays as it is", "would stay as it is"),
}


def view_lines(view: "CandidateView") -> Iterator[str]:
    """Yield a candidate and, below it, the words it rests on."""
    candidate = view.candidate
    marks = [f"{candidate.confidence:.2f}", str(candidate.status), *(["private"] if candidate.is_private else [])]
    row = f" as {candidate.row_id}" if candidate.row_id else ""
    yield f"{candidate.id}  {printable(proposal_line(candidate.proposal))}  [{', '.join(marks)}{row}]"
    if candidate.edited is not None:
        yield f"    originally {printable(proposal_line(candidate.found))}"
    if candidate.reason:
        yield f"    reason: {printable(candidate.reason)}"
    for other in view.against:
        said = other.said if isinstance(other.said, str) else proposal_line(other.said)
        yield f"    contradicts {other.id}  {printable(said)}"
    for quote in view.quotes:
        before, behind = forms.review.quote_surroundings(quote)
        words = printable(f"{before}«{quote.text}»{behind}")
        yield f"    {day_of(quote.created_at)}  {quote.thought_id}  {words}"
    if view.mentions > len(view.quotes):  # quotes are the first few mentions
        yield f"    and {view.mentions - len(view.quotes)} more"


def proposal_line(proposal: "Proposal") -> str:
    """Return a proposal in one line: `Ada (person)`, or `Ada --works_at--> Kiln Co`."""
    if isinstance(proposal, EntityProposal):
        also = f", also {', '.join(proposal.aliases)}" if proposal.aliases else ""
        head = f"{proposal.name} ({proposal.entity_type}{also})"
    else:
        starts = f" from {day_of(proposal.valid_from)}" if proposal.valid_from else ""
        ends = f" until {day_of(proposal.valid_until)}" if proposal.valid_until else ""
        head = f"{proposal.source} --{proposal.rel_type}--> {proposal.target}{starts}{ends}"
    return f"{head}: {proposal.description}" if proposal.description else head


def step_line(step: "Step", *, dry_run: bool) -> str:
    """Return what became of one verdict, or would become of it."""
    outcome = _OUTCOMES[step.action][dry_run]
    names_row = step.row_id is not None and step.action in ("created", "merged", "aliased")
    return f"{step.candidate_id} {outcome} {step.row_id}" if names_row else f"{step.candidate_id} {outcome}"


_SOME_IDS = click.argument("ids", nargs=-1, metavar="[C:ID…]")
_IDS = click.argument("ids", nargs=-1, required=True, metavar="C:ID…")
_YES = flag("--yes", "Do not ask.")
_DRY_RUN = flag("--dry-run", "Show what would happen, and change nothing.")
_PREVIEWED = 20  # candidates shown before a decision on all of them
where_option = option("--where", "Only candidates that meet all conditions: 'type=person mentions>=3'.", "CONDITIONS")
all_option = flag("--all unfolded", "Include rarely mentioned candidates.")


@click.command(cls=JsonCommand)
@request_options(rows.CANDIDATES)
@where_option
@all_option
def candidates(
    *, status: str, limit: int, after: str | None, where: str | None, unfolded: bool, **options: object
) -> None:
    """List the candidates that wait for review.

    Each shows the words it was found in; the most mentioned come first. The list leaves out what the graph already
    holds. It hides names that occur once and have no clear type, and all after the first 400; --all also shows these.
    Candidates you decided on appear in the order they were found.

    \b
    Examples:
      voice kg candidates --where 'type=person mentions>=3'
      voice kg candidates --kind relation --min-confidence 0.7
      voice kg candidates --status rejected --json
    """
    conditions = parse_conditions(where or "")
    if status != "pending" and (where or unfolded):  # conditions and folds are of the queue alone
        raise click.UsageError("--where and --all list pending candidates only; leave --status out")
    said = {**options, "status": status, "limit": limit, "after": after}
    wanted = forms.review.candidate_filter(options_said(rows.CANDIDATES, said))

    async def work(services: "Services") -> "tuple[Page, int]":
        moderation = services.review.moderation
        where = await with_whole_thought_id(services, wanted)
        if status != "pending":  # pages of decided ones are in order of time, so their cursors differ
            page = await moderation.page(where, limit=limit, after=None if after is None else Cursor.parse(after))
        else:
            place = None if after is None else Place.parse(after)
            page = await moderation.queue(where, limit=limit, after=place, conditions=conditions, unfolded=unfolded)
        return page, await moderation.hidden(where, page.admitted)

    page, hidden = run(work)
    if wants_json():
        print_json({**forms.review.page_json(page), "folded": page.folded})
        return
    tell_hidden(hidden)
    if not page.views and not hidden and not page.folded:
        note("no candidate like this waits for review; `voice kg candidates --status all` lists every candidate")
    for view in page.views:
        click.echo("\n".join(view_lines(view)))
    if page.next is not None:
        note(f"{page.total} in all; for the next page, add --after {page.next}")
    tell_unfolded_hint(page.folded)


@click.command(cls=JsonCommand)
@_SOME_IDS
@where_option
@flag("--with-ends", "Also approve the waiting entities that a relation needs.")
@_DRY_RUN
@_YES
def approve(ids: tuple[str, ...], where: str | None, with_ends: bool, dry_run: bool, yes: bool) -> None:
    """Add candidates to the graph.

    Each becomes a new entity or relation, or joins one that is already there. Entities go in before relations, in
    whatever order you name them. Approving again changes nothing. With --where you first see every waiting candidate
    that meets the conditions, and then confirm.

    \b
    Examples:
      voice kg approve c:01ab… c:7f3c… --dry-run
      voice kg approve --where 'type=person mentions>=3'
    """
    _carry_out(ids, where, lambda c: Approve(candidate_id=c), "approve", with_ends=with_ends, dry_run=dry_run, yes=yes)


@click.command(cls=JsonCommand)
@_SOME_IDS
@where_option
@option("--reason", "The reason, stored with the candidates.", "WORDS", default="")
@_DRY_RUN
@_YES
def reject(ids: tuple[str, ...], where: str | None, reason: str, dry_run: bool, yes: bool) -> None:
    """Reject candidates, so that they do not come up again. You can still approve one later.

    With --where you first see every waiting candidate that meets the conditions, and then confirm.

    \b
    Examples:
      voice kg reject c:01ab… --reason "not a person"
      voice kg reject --where 'type=thing mentions<2'
    """
    _carry_out(ids, where, lambda c: Reject(candidate_id=c, reason=reason), "reject", dry_run=dry_run, yes=yes)


@click.command(cls=JsonCommand)
@_IDS
@option("--of entity", "The entity: its id, name or another name.", "NAME", required=True)
@_DRY_RUN
def alias(ids: tuple[str, ...], entity: str, dry_run: bool) -> None:
    """Turn candidates into other names of an entity in the graph.

    \b
    Example: voice kg alias c:01ab… --of "Anna Lund"
    """
    from voice.services.graph.editor import resolve_entity

    async def work(services: "Services") -> "Moderated":
        moderation = services.review.moderation
        named = await services.resolve_ids.one(entity)
        entity_id = resolve_entity(named, (await moderation.names.known()).nodes, lets_private_in=False).id
        candidate_ids = dict.fromkeys(await services.resolve_ids(ids))  # each once, in the order given
        decisions = [Alias(candidate_id=each, entity_id=entity_id) for each in candidate_ids]
        return await moderation.decide(decisions, by=cli_origin(), dry_run=dry_run)

    _tell(run(work))


@click.command(cls=JsonCommand)
@_IDS
@option("--name", "An entity's name.", "NAME")
@option("--type", "An entity's or a relation's type.", "TYPE")
@option("--alias aliases", "An entity's other names; replaces all it had.", "NAME", multiple=True)
@option("--source", "A relation's source, by name or id.", "NAME")
@option("--target", "A relation's target, by name or id.", "NAME")
@option("--description", "One sentence that describes it.", "TEXT")
@_DRY_RUN
def edit(ids: tuple[str, ...], aliases: tuple[str, ...], dry_run: bool, **options: object) -> None:
    """Correct candidates before you approve them. The original stays visible beside your edit.

    \b
    Example: voice kg edit c:01ab… --name "Anna Lund" --type person
    """

    async def work(services: "Services") -> "Moderated":
        moderation, candidate_ids = services.review.moderation, await services.resolve_ids(ids)
        stored = await moderation.candidates.fetch(candidate_ids)  # an id that is not there is refused by `decide`
        decisions = forms.review.edits(dict.fromkeys(candidate_ids), stored, {**options, "aliases": aliases or None})
        return await moderation.decide(decisions, by=cli_origin(), dry_run=dry_run)

    _tell(run(work))


def tell_hidden(private: int) -> None:
    """Say on stderr how many private candidates are left out, if any."""
    if private:
        note(f"{counted(private, 'private candidate')} left out; --private shows them")


def tell_unfolded_hint(folded: int) -> None:
    """Say on stderr how many are folded away, if any, and how they are seen."""
    if folded:
        note(f"{counted(folded, 'rarely mentioned candidate')} hidden; --all shows them")


async def with_whole_thought_id(services: "Services", where: "CandidateFilter") -> "CandidateFilter":
    """Return what is asked for, with the whole id of the thought that it is to rest on."""
    thought_id = where.thought_id
    return where if thought_id is None else replace(where, thought_id=await services.resolve_ids.one(thought_id))


def _carry_out(
    ids: Sequence[str],
    where: str | None,
    verdict: "Callable[[str], Decision]",
    verb: str,
    *,
    dry_run: bool,
    yes: bool,
    with_ends: bool = False,
) -> None:
    if bool(ids) == (where is not None):  # exactly one of both
        raise click.UsageError("name candidates by their ids, or select them with --where")
    if where is not None:
        ids = _confirmed_matches(
            where, verb, dry_run=dry_run, yes=yes
        )  # before anything is decided: what is confirmed is what was shown

    async def work(services: "Services") -> "Moderated":
        from voice.services.graph.vouching import decide_many

        decisions = [verdict(each) for each in dict.fromkeys(await services.resolve_ids(ids))]
        moderation = services.review.moderation
        # Selected ones may be too many for one batch.
        decide = moderation.decide if where is None else partial(decide_many, moderation)
        return await decide(decisions, by=cli_origin(), with_ends=with_ends, dry_run=dry_run)

    _tell(run(work))


def _confirmed_matches(where: str, verb: str, *, dry_run: bool, yes: bool) -> tuple[str, ...]:
    """Return the waiting candidates that meet the conditions, once they were shown and confirmed."""
    from voice.ports.review_stores import CandidateFilter

    conditions = parse_conditions(where)
    pending = CandidateFilter(status=CandidateStatus.PENDING, include_private=False)
    line = run(lambda services: services.review.moderation.line(pending, conditions))
    found = (*line.shown, *line.folded)  # folded ones meet the conditions, too
    if not found:
        raise InvalidParams(
            "no waiting candidate meets these conditions; check them with `voice kg candidates --where`"
        )
    told = ((each, printable(proposal_line(each.proposal))) for each in found)
    print_first([f"{each.id}  {line}  [{counted(each.mentions, 'mention')}]" for each, line in told], _PREVIEWED)
    if not dry_run:
        confirm(f"{verb.capitalize()} {counted(len(found), 'candidate')}", yes=yes, what=f"{verb}s all of them")
    return tuple(each.id for each in found)


def _tell(moderated: "Moderated") -> None:
    tell_unembedded(moderated.unembedded, moderated.fault)
    for candidate_id, why in moderated.refused:  # why one of many was left out
        note(f"{candidate_id} still waits for review: {why}")
    steps = (step_line(step, dry_run=moderated.dry_run) for step in moderated.steps)
    print_result(lambda: forms.review.moderated_json(moderated), steps)
