"""Pages of the queue: list candidates, and decide one or many.

Law: what is said here is a person's word (ruling H); each form is one verdict, carried out whole or refused with what
was typed left as it was. Without a script a verdict leads back to the queue; with one, its row alone is changed.
Source: DESIGN 8 Web (moderation queue); spec rag-organize 6; rulings C10, F, H.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute

from voice.core.errors import InvalidParams, SessionConflict, UnknownId
from voice.core.graph.review.candidates import Candidate, CandidateStatus, Cursor
from voice.core.graph.review.decisions import Alias, Place
from voice.core.graph.review.promotion import Step
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.entrypoints.web.pages.addresses import Kept, digest_of, fields_of, one_of
from voice.entrypoints.web.pages.rendering import PageGroup
from voice.entrypoints.web.pages.review import queue_requests, queue_view
from voice.entrypoints.web.pages.review.queue_requests import BECAME, QueueQuery, VerdictForm
from voice.entrypoints.web.pages.review.queue_view import Batch, Outcome, QueueView, batch_of, outcome_of, row_of
from voice.entrypoints.web.responses import problem_of
from voice.ports.review_stores import CandidateFilter
from voice.services.graph.editor import resolve_entity
from voice.services.graph.moderation import CandidateView, Moderation, Page
from voice.services.graph.vouching import decide_many

_BATCH = ("approve", "reject")
_PREVIEWED = 20  # candidates shown before a verdict on many
_MOST_BATCHES = 20  # verdicts on many, of which is told what came of them
_MOST_NAMES = 1_000  # entities that the form for another name offers; any other is typed


@dataclass(frozen=True, slots=True)
class QueuePages(PageGroup):
    """The pages of the queue of one memory."""

    batches: Kept[Batch] = field(default_factory=lambda: Kept(most=_MOST_BATCHES))

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the queue."""
        return [
            self.route("GET", queue_requests.PATH, self.listed, queue_requests.TAKES),
            self.route("POST", f"{queue_requests.PATH}/all", self.decide_all),
            self.route("POST", f"{queue_requests.PATH}/undo", self.undo),
            self.route("POST", f"{queue_requests.PATH}/{{candidate_id}}", self.decide),
        ]

    async def listed(self, request: Request) -> Response:
        """Show a page of the queue."""
        return await self._page(request, QueueQuery.of(request.query_params))

    async def decide(self, request: Request) -> Response:
        """Carry out one verdict."""
        candidate_id, form = str(request.path_params["candidate_id"]), await fields_of(request)
        query, deed = QueueQuery.of(form), form.get("deed", "")
        candidate = (await self._visible(candidate_id, query)).candidate
        is_part = "hx-request" in request.headers  # the script wants the row alone
        try:
            steps = await self._decide_one(deed, candidate, form)
        except (InvalidParams, SessionConflict) as error:
            typed = queue_requests.typed_over(candidate, form, deed=deed, fault=error.message)  # nothing typed is lost
            if is_part:
                return HTMLResponse(await self._row(query, candidate_id, typed), problem_of(error).status)
            return await self._page(request, query, refused=(candidate_id, typed), status=problem_of(error).status)
        if is_part:
            return await self._changed_rows(query, candidate_id, steps)
        return RedirectResponse(replace(query, done=candidate_id).url, HTTPStatus.SEE_OTHER)

    async def decide_all(self, request: Request) -> Response:
        """Show what one verdict on all that is asked for would decide, and carry it out once that is confirmed."""
        form = await fields_of(request)
        query, deed = replace(QueueQuery.of(form), after=""), one_of(form, "deed", _BATCH, "approve")
        queue = await self._moderation.line(self._filter(query), query.conditions)
        candidates = [*queue.shown, *(queue.folded if query.all else ())]  # what is folded away only where it was shown
        digest = digest_of(each.id for each in candidates)
        if form.get("sure_of") == digest:  # confirmed for exactly this set
            return await self._decide_each(query, deed, candidates, form)
        return self.templates.page(
            request,
            "queue_all.html",
            query=query,
            deed=deed,
            digest=digest,
            total=len(candidates),
            first=[queue_view.said_of(each.proposal) for each in candidates[:_PREVIEWED]],
            is_other="sure_of" in form,
        )

    async def undo(self, request: Request) -> Response:
        """Let what was rejected at once wait again; of what was decided otherwise since, nothing."""
        form = await fields_of(request)
        query, batch = replace(QueueQuery.of(form), after=""), self.batches.found(form.get("batch", ""))
        if batch is None or not batch.can_undo:
            raise UnknownId("voice no longer knows that decision; the list Rejected shows what you rejected")
        by_id = await self._moderation.candidates.fetch(batch.done)  # only those that were rejected at once
        rejected = [each for each in by_id.values() if each.status is CandidateStatus.REJECTED]
        return await self._decide_each(query, "reopen", rejected, form)

    async def _decide_each(
        self, query: QueueQuery, deed: str, candidates: Sequence[Candidate], form: Mapping[str, str]
    ) -> Response:
        verdicts = [queue_requests.verdict_of(deed, each, form) for each in candidates]
        moderated = await decide_many(self._moderation, verdicts, by=ceiling_of(Entrance.PAGE), with_ends=True)
        texts = {each.id: queue_view.in_words(each.proposal) for each in candidates}
        batch = batch_of(deed, candidates, moderated, texts)
        return RedirectResponse(replace(query, batch=self.batches.keep(batch)).url, HTTPStatus.SEE_OTHER)

    def _filter(self, query: QueueQuery) -> CandidateFilter:
        """Return which candidates are asked for, the time in words read as it is meant now."""
        if not query.since:
            return query.where
        return replace(query.where, since=self.memory.services.find.window(query.since).start)

    @property
    def _moderation(self) -> Moderation:
        return self.memory.services.review.moderation

    async def _visible(self, candidate_id: str, query: QueueQuery) -> CandidateView:
        """Return a candidate as far as it may be seen; what is private is decided where it is shown."""
        for view in await self._moderation.views([candidate_id], include_private=query.private):
            return view  # at most one
        raise UnknownId("the list does not show that candidate")

    async def _decide_one(self, deed: str, candidate: Candidate, form: Mapping[str, str]) -> Sequence[Step]:
        verdict = queue_requests.verdict_of(deed, candidate, form)
        if isinstance(verdict, Alias):
            known = await self._moderation.names.known()
            verdict = replace(verdict, entity_id=resolve_entity(verdict.entity_id, known.nodes).id)
        return (await self._moderation.decide([verdict], by=ceiling_of(Entrance.PAGE), with_ends=True)).steps

    async def _page(
        self, request: Request, query: QueueQuery, *, refused: tuple[str, VerdictForm] | None = None, status: int = 200
    ) -> Response:
        found = await self._candidates(query, queue_requests.PAGE_SIZE)
        rows = {view.candidate.id: row_of(view) for view in found.views}
        if refused is not None:
            rows[refused[0]] = row_of(await self._visible(refused[0], query), refused[1])  # where it was shown
        view = QueueView(
            query=query,
            rows=tuple(rows.values()),
            total=found.total,
            hidden=await self._hidden(query, found),
            folded=found.folded,
            unfolded=replace(query.at(None), all=True).url,
            next=None if found.next is None else query.at(found.next).url,
            first=query.at(None).url if query.after else None,
            outcome=await self._outcome(query),
            batch=self.batches.found(query.batch),
        )
        return self.templates.page(request, "queue.html", status, queue=view, **await self._choices(query))

    async def _candidates(self, query: QueueQuery, limit: int) -> Page:
        where = self._filter(query)
        if not query.is_queue:
            after = Cursor.parse(query.after) if query.after else None
            return await self._moderation.page(where, limit=limit, after=after)
        place = Place.parse(query.after) if query.after else None
        return await self._moderation.queue(
            where, limit=limit, after=place, conditions=query.conditions, unfolded=query.all
        )

    async def _hidden(self, query: QueueQuery, found: Page) -> int:
        where = self._filter(query)
        return 0 if query.private else await self._moderation.hidden(where, found.admitted)  # counted, and never shown

    async def _outcome(self, query: QueueQuery) -> Outcome | None:
        shown = await self._moderation.views([query.done], include_private=query.private) if query.done else ()
        return next((outcome_of(view.candidate) for view in shown), None)

    async def _choices(self, query: QueueQuery) -> Mapping[str, object]:
        """Return what the forms offer besides: parts of the queue, and the names that are in the graph."""
        known = await self._moderation.names.known()
        nodes = known.nodes if query.private else known.public.nodes
        names = sorted({node.name for node in nodes}, key=str.casefold)[:_MOST_NAMES]
        waiting = await self.memory.services.review.vouching.listed(NotedFilter(include_private=query.private))
        return {
            "names": names,
            "noted": waiting.total,
            "conflicts": (await self.memory.services.conflicts.waiting(include_private=query.private)).total,
            "statuses": [
                (key, name, replace(query.at(None), status=key).url) for key, name in queue_requests.STATUSES.items()
            ],
            "kinds": queue_requests.KINDS,
            "types": queue_requests.TYPES,
            "named": queue_requests.NAMED,
            "sure": queue_requests.SURE,
            "since": queue_requests.SINCE,
        }

    async def _changed_rows(self, query: QueueQuery, candidate_id: str, steps: Sequence[Step]) -> Response:
        """Return what stands in the place of each row that a verdict changed, its own first, and how many there are."""
        own = next(step for step in reversed(steps) if step.candidate_id == candidate_id)  # its own comes last
        by_id = await self._moderation.candidates.fetch([step.candidate_id for step in steps])
        found = await self._candidates(query, 1)
        hidden = await self._hidden(query, found)
        count = self.templates.part("queue_count.html", query=query, total=found.total, hidden=hidden)
        if by_id[candidate_id].status is CandidateStatus.PENDING:  # an edit: the row stays, changed
            return HTMLResponse(await self._row(query, candidate_id, note=BECAME[own.action]) + count)
        others = [outcome_of(by_id[step.candidate_id], BECAME[step.action]) for step in steps if step is not own]
        outcome = outcome_of(by_id[candidate_id], BECAME[own.action])
        changed = self.templates.part("queue_outcome.html", query=query, outcome=outcome, along=others)
        return HTMLResponse(changed + count)

    async def _row(
        self, query: QueueQuery, candidate_id: str, typed: VerdictForm | None = None, *, note: str = ""
    ) -> str:
        row = row_of(await self._visible(candidate_id, query), typed)
        return self.templates.part("queue_row.html", query=query, row=row, note=note)
