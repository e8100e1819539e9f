"""`voice kg review`: one candidate after the other, each beside its words, decided by a key.

Law: what cannot be carried out is said at once, and the candidate stays. What was decided is saved after every few, at
the end, and when the review is stopped, each time as one batch; until then it can be taken back. Where the input is no
terminal, each line is a key and what belongs to it.
"""

from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import click

from voice.core.errors import InvalidParams
from voice.core.graph.review import decisions
from voice.core.graph.review.candidates import EntityProposal
from voice.core.text.display import printable
from voice.entrypoints.cli.kg import candidates
from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.input import KEYS, KeyReader
from voice.entrypoints.cli.terminal.printing import note, print_result
from voice.entrypoints.cli.terminal.request_options import options_said, request_options
from voice.entrypoints.cli.terminal.runtime import JsonCommand, cli_origin, run
from voice.requests import rows

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.review.promotion import Step
    from voice.ports.review_stores import CandidateFilter
    from voice.services.graph.moderation import CandidateView, Moderated, Moderation

_QUEUE: Final = rows.CANDIDATES.without("status", "since", "limit", "after")
_PAGE: Final = 20  # candidates read at once
_SAVED_AFTER: Final = 20  # decisions that a crash can cost, and that undo can take back


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDecision:
    """What was decided of one candidate since the last save; nothing when it was skipped."""

    view: "CandidateView"
    verdicts: tuple[decisions.Decision, ...] = ()
    along: frozenset[str] = frozenset()
    """Entities that were approved along with a relation."""


@click.command(cls=JsonCommand)
@request_options(_QUEUE)
@candidates.where_option
@candidates.all_option
def review(*, where: str | None, unfolded: bool, **options: object) -> None:
    """Review candidates, the most mentioned first.

    The keys are: a approve, r reject, e edit, l alias, s skip, u undo, q quit. If you approve a relation, you also
    approve the waiting entities it needs. Voice saves your decisions after every twenty candidates, at the end, and
    when you press Ctrl-C; undo goes back to the last save. In a pipe, each line is a key with its answer (`r not a
    person`, `l Anna Lund`).

    \b
    Example: voice kg review --where 'type=person mentions>=3'
    """
    conditions = decisions.parse_conditions(where or "")
    wanted = forms.review.candidate_filter(options_said(_QUEUE, options))

    async def work(services: "Services") -> "Moderated":
        moderation, asked = services.review.moderation, await candidates.with_whole_thought_id(services, wanted)
        candidates.tell_hidden(await moderation.hidden(asked))
        reviewing = ReviewPass(moderation, asked, conditions, unfolded)
        line = await moderation.line(asked, conditions)  # what waits is counted before the first is shown
        if not (line.shown or line.folded):
            note("nothing waits for review")
        result = await reviewing.through()
        candidates.tell_unfolded_hint(reviewing.folded)
        return result

    result = run(work)
    tell_unembedded(result.unembedded, result.fault)
    print_result(lambda: forms.review.moderated_json(result), _summary(result.steps))


@dataclass(slots=True)
class ReviewPass:
    """One pass over what waits."""

    _moderation: "Moderation"
    _where: "CandidateFilter"
    _conditions: decisions.Conditions
    _unfolded: bool
    _keys: KeyReader = field(default_factory=KeyReader)
    folded: int = 0
    _queue: "list[CandidateView]" = field(default_factory=list)  # read, and not decided yet
    _undoable: list[ReviewDecision] = field(
        default_factory=list[ReviewDecision]
    )  # since the last save, the latest last
    _place: decisions.Place | None = None  # where the next page begins
    _is_last: bool = False
    _steps: "list[Step]" = field(default_factory=list)  # of all saves, for the summary
    _unembedded: int = 0
    _fault: str | None = None

    async def through(self) -> "Moderated":
        """Show candidate after candidate until there are no more or the person leaves; return what came of it."""
        from voice.services.graph.moderation import Moderated

        try:
            while (view := await self._next()) is not None:
                if not await self._ask_about(view):
                    break
        finally:
            await self._save()  # also when Ctrl-C or the end of the input stops it
        return Moderated(steps=tuple(self._steps), dry_run=False, unembedded=self._unembedded, fault=self._fault)

    async def _next(self) -> "CandidateView | None":
        along = {each for deed in self._undoable for each in deed.along}
        while True:
            place = next((at for at, view in enumerate(self._queue) if view.candidate.id not in along), None)
            if place is not None:
                return self._queue.pop(place)  # not one that is approved along with a relation
            if self._is_last:
                return None
            page = await self._moderation.queue(
                self._where, limit=_PAGE, after=self._place, conditions=self._conditions, unfolded=self._unfolded
            )
            self._queue += page.views
            self._is_last, self.folded = page.next is None, page.folded
            self._place = page.next if isinstance(page.next, decisions.Place) else None

    async def _ask_about(self, view: "CandidateView") -> bool:
        """Ask what becomes of one candidate; return whether to go on."""
        said: list[decisions.Decision] = []
        shown = view
        click.echo("\n".join(("", *candidates.view_lines(view))), err=True)
        while True:
            key, rest = await self._keys.key()  # asked again until one answer can be carried out
            match key:
                case "q" | "s":  # edits stay, even so
                    await self._remember_decision(ReviewDecision(view=view, verdicts=tuple(said)))
                    return key == "s"
                case "u" if self._undo(view):  # an undone candidate is shown again, and this one after it
                    return True
                case "u":
                    note("nothing to undo since the last save")
                case "e":  # edited once more, an edit builds on the one before
                    shown = await self._edit(shown, said, rest)
                case "a" | "r" | "l" if await self._decide(view, said, key, rest):
                    return True
                case "a" | "r" | "l":  # it could not be carried out, which was said
                    continue
                case _:
                    click.echo(f"the keys are: {KEYS}", err=True)

    async def _decide(self, view: "CandidateView", said: list[decisions.Decision], key: str, rest: str) -> bool:
        from voice.services.graph.editor import resolve_entity

        candidate_id = view.candidate.id
        try:
            match key:
                case "a":
                    verdict: decisions.Decision = decisions.Approve(candidate_id=candidate_id)
                case "r":
                    verdict = decisions.Reject(candidate_id=candidate_id, reason=rest)
                case _:
                    name = rest or await self._keys.answer("another name of which entity? (id or name)")
                    nodes = (await self._moderation.names.known()).nodes
                    entity_id = resolve_entity(name, nodes, lets_private_in=False).id
                    verdict = decisions.Alias(candidate_id=candidate_id, entity_id=entity_id)
            along = await self._try([*said, verdict])  # as if saved now, so that an error is told at this candidate
        except InvalidParams as error:
            note(forms.advice.message_with_advice(error, forms.advice.AT_THE_COMMAND_LINE))
            return False
        await self._remember_decision(ReviewDecision(view=view, verdicts=(*said, verdict), along=along))
        return True

    async def _edit(self, view: "CandidateView", said: list[decisions.Decision], rest: str) -> "CandidateView":
        try:
            changes = await self._changes(view, rest)
            edited = replace(view, candidate=decisions.with_changes(view.candidate, changes))
            verdict = decisions.Edit(candidate_id=view.candidate.id, changes=changes)
            await self._try([*said, verdict])
        except InvalidParams as error:
            note(forms.advice.message_with_advice(error, forms.advice.AT_THE_COMMAND_LINE))
            return view
        said.append(verdict)
        click.echo("\n".join(candidates.view_lines(edited)), err=True)
        return edited

    async def _changes(self, view: "CandidateView", rest: str) -> decisions.Changes:
        """Ask for each member that can be put right; an empty answer leaves it as it is."""
        proposal = view.candidate.proposal
        if isinstance(proposal, EntityProposal):
            name = rest or await self._keys.answer(f"name [{printable(proposal.name)}]")
            kind = await self._keys.answer(f"type [{printable(proposal.entity_type)}]")
            return decisions.Changes(name=name or None, entity_type=kind or None)
        source = rest or await self._keys.answer(f"source [{printable(proposal.source)}]")
        kind = await self._keys.answer(f"type [{printable(proposal.rel_type)}]")
        target = await self._keys.answer(f"target [{printable(proposal.target)}]")
        return decisions.Changes(source=source or None, rel_type=kind or None, target=target or None)

    def _undo(self, view: "CandidateView") -> bool:
        """Go back one candidate; return whether there was one to go back to."""
        if not self._undoable:
            return False
        self._queue[:0] = [self._undoable.pop().view, view]  # the one undone first, then the one on screen
        return True

    async def _try(self, said: list[decisions.Decision]) -> frozenset[str]:
        """Return which entities come along when `said` is decided after everything since the last save."""
        verdicts = [*self._unsaved(), *said]  # those before it may bring what it needs
        told = await self._moderation.decide(verdicts, by=cli_origin(), with_ends=True, dry_run=True)
        named = {verdict.candidate_id for verdict in verdicts}
        return frozenset(step.candidate_id for step in told.steps if step.candidate_id not in named)

    async def _remember_decision(self, deed: ReviewDecision) -> None:
        self._undoable.append(deed)
        if len(self._undoable) >= _SAVED_AFTER:
            await self._save()

    def _unsaved(self) -> list[decisions.Decision]:
        return [verdict for deed in self._undoable for verdict in deed.verdicts]

    async def _save(self) -> None:
        verdicts, along = self._unsaved(), {each for deed in self._undoable for each in deed.along}
        self._queue = [view for view in self._queue if view.candidate.id not in along]
        self._undoable.clear()  # saving is where undo ends
        if verdicts:
            done = await _to_its_end(self._moderation.decide(verdicts, by=cli_origin(), with_ends=True))
            self._steps += done.steps
            self._unembedded += done.unembedded
            self._fault = self._fault or done.fault  # the first fault explains the others


def _summary(steps: "tuple[Step, ...]") -> str:
    counts = {action: sum(step.action == action for step in steps) for action in dict.fromkeys(s.action for s in steps)}
    said = ", ".join(f"{number} {action}" for action, number in counts.items() if action != "unchanged")
    return f"saved: {said}" if said else "you decided nothing"


async def _to_its_end(saving: Coroutine[object, object, "Moderated"]) -> "Moderated":
    """Return what came of saving; Ctrl-C waits for it, so that what was decided is not dropped half way."""
    import asyncio

    task = asyncio.ensure_future(saving)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:  # the wait was cancelled, the saving was not
        await task  # so wait for the end here
        raise
