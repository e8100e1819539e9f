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
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams, SessionConflict, UnknownId
from voice.core.graph.review.candidates import Candidate, CandidateStatus
from voice.core.graph.review.decisions import Alias
from voice.core.graph.review.promotion import Step
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.addresses import digest_of, fields_of, one_of
from voice.entrypoints.web.pages.rendering import Templates, with_problems
from voice.entrypoints.web.pages.review import queue_requests, queue_view
from voice.entrypoints.web.pages.review.queue_requests import QueueQuery, VerdictForm
from voice.entrypoints.web.pages.review.queue_view import Batches, Outcome, QueueView, batch_of, outcome_of, row_of
from voice.entrypoints.web.responses import problem_of
from voice.ports.review_stores import CandidateFilter
from voice.services.graph.editor import resolve_entity
from voice.services.graph.moderation import CandidateView, Moderation, Page
from voice.services.graph.vouching import decide_many

_BATCH = ("approve", "reject")
_PREVIEWED = 20
_MOST_NAMES = 1_000
"""Entities that the form for another name offers; any other is typed."""


@dataclass(frozen=True, slots=True)
class QueuePages:
    """The pages of the queue of one memory."""

    memory: Voice
    templates: Templates
    batches: Batches = field(default_factory=Batches)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the queue."""
        listed = with_problems(self.templates, self.listed, queue_requests.TAKES)
        decide = with_problems(self.templates, self.decide)
        return [
            Route(queue_requests.PATH, listed, methods=["GET"]),
            Route(f"{queue_requests.PATH}/all", with_problems(self.templates, self.decide_all), methods=["POST"]),
            Route(f"{queue_requests.PATH}/undo", with_problems(self.templates, self.undo), methods=["POST"]),
            Route(f"{queue_requests.PATH}/{{candidate_id}}", decide, methods=["POST"]),
        ]

    async def listed(self, request: Request) -> Response:
        """Show a page of the queue."""
        return await self._page(request, QueueQuery.of(request.query_params))

    async def decide(self, request: Request) -> Response:
        """Carry out one verdict."""
        candidate_id, form = str(request.path_params["candidate_id"]), await fields_of(request)
        asked, deed = QueueQuery.of(form), form.get("deed", "")
        held = (await self._seen(candidate_id, asked)).candidate
        is_part = "hx-request" in request.headers
        try:
            steps = await self._decided(deed, held, form)
        except (InvalidParams, SessionConflict) as error:
            typed = queue_requests.typed_over(held, form, deed=deed, fault=error.message)
            if is_part:
                return HTMLResponse(await self._row(asked, candidate_id, typed), problem_of(error).status)
            return await self._page(request, asked, refused=(candidate_id, typed), status=problem_of(error).status)
        if is_part:
            return await self._changed(asked, candidate_id, steps)
        return RedirectResponse(replace(asked, done=candidate_id).url, HTTPStatus.SEE_OTHER)

    async def decide_all(self, request: Request) -> Response:
        """Show what one verdict on all that is asked for would decide, and carry it out once that is confirmed."""
        form = await fields_of(request)
        asked, deed = replace(QueueQuery.of(form), after=""), one_of(form, "deed", _BATCH, "approve")
        line = await self._moderation.line(self._where(asked), asked.conditions)
        every = [*line.shown, *(line.folded if asked.all else ())]
        digest = digest_of(each.id for each in every)
        if form.get("sure_of") == digest:
            return await self._decided_all(asked, deed, every, form)
        return self.templates.page(
            request,
            "queue_all.html",
            asked=asked,
            deed=deed,
            digest=digest,
            total=len(every),
            first=[queue_view.said_of(each.proposal) for each in every[:_PREVIEWED]],
            is_other="sure_of" in form,
        )

    async def undo(self, request: Request) -> Response:
        """Let what was rejected at once wait again; of what was decided otherwise since, nothing."""
        form = await fields_of(request)
        asked, batch = replace(QueueQuery.of(form), after=""), self.batches.found(form.get("batch", ""))
        if batch is None or not batch.can_undo:
            raise UnknownId("that verdict is not known any more; find what was rejected under Rejected")
        held = await self._moderation.candidates.fetch(batch.done)
        rejected = [each for each in held.values() if each.status is CandidateStatus.REJECTED]
        return await self._decided_all(asked, "reopen", rejected, form)

    async def _decided_all(
        self, asked: QueueQuery, deed: str, every: Sequence[Candidate], form: Mapping[str, str]
    ) -> Response:
        verdicts = [queue_requests.verdict_of(deed, each, form) for each in every]
        came = await decide_many(self._moderation, verdicts, by=ceiling_of(Entrance.PAGE), with_ends=True)
        said = {each.id: queue_view.in_words(each.proposal) for each in every}
        batch = batch_of(deed, every, came, said)
        return RedirectResponse(replace(asked, batch=self.batches.keep(batch)).url, HTTPStatus.SEE_OTHER)

    def _where(self, asked: QueueQuery) -> CandidateFilter:
        """Return which candidates are asked for, the time in words read as it is meant now."""
        if not asked.since:
            return asked.where
        return replace(asked.where, since=self.memory.services.find.window(asked.since).start)

    @property
    def _moderation(self) -> Moderation:
        return self.memory.services.review.moderation

    async def _seen(self, candidate_id: str, asked: QueueQuery) -> CandidateView:
        """Return a candidate as far as it may be seen; what is private is decided where it is shown."""
        for view in await self._moderation.views([candidate_id], include_private=asked.private):
            return view
        raise UnknownId("there is no such candidate among those that are shown")

    async def _decided(self, deed: str, held: Candidate, form: Mapping[str, str]) -> Sequence[Step]:
        verdict = queue_requests.verdict_of(deed, held, form)
        if isinstance(verdict, Alias):
            known = await self._moderation.names.known()
            verdict = replace(verdict, entity_id=resolve_entity(verdict.entity_id, known.nodes).id)
        return (await self._moderation.decide([verdict], by=ceiling_of(Entrance.PAGE), with_ends=True)).steps

    async def _page(
        self, request: Request, asked: QueueQuery, *, refused: tuple[str, VerdictForm] | None = None, status: int = 200
    ) -> Response:
        found = await self._found(asked, queue_requests.PAGE_SIZE)
        rows = {view.candidate.id: row_of(view) for view in found.views}
        if refused is not None:
            rows[refused[0]] = row_of(await self._seen(refused[0], asked), refused[1])
        view = QueueView(
            asked=asked,
            rows=tuple(rows.values()),
            total=found.total,
            hidden=await self._hidden(asked),
            folded=found.folded,
            unfolded=replace(asked.at(None), all=True).url,
            next=None if found.next is None else asked.at(found.next).url,
            first=asked.at(None).url if asked.after else None,
            outcome=await self._outcome(asked),
            batch=self.batches.found(asked.batch),
        )
        return self.templates.page(request, "queue.html", status, queue=view, **await self._choices(asked))

    async def _found(self, asked: QueueQuery, limit: int) -> Page:
        if not asked.is_queue:
            return await self._moderation.page(self._where(asked), limit=limit, after=asked.cursor)
        return await self._moderation.queue(
            self._where(asked), limit=limit, after=asked.place, conditions=asked.conditions, unfolded=asked.all
        )

    async def _hidden(self, asked: QueueQuery) -> int:
        return 0 if asked.private else await self._moderation.hidden(self._where(asked))

    async def _outcome(self, asked: QueueQuery) -> Outcome | None:
        shown = await self._moderation.views([asked.done], include_private=asked.private) if asked.done else ()
        return next((outcome_of(view.candidate) for view in shown), None)

    async def _choices(self, asked: QueueQuery) -> Mapping[str, object]:
        """Return what the forms offer besides: parts of the queue, and the names that are in the graph."""
        known = await self._moderation.names.known()
        nodes = known.nodes if asked.private else known.public.nodes
        names = sorted({node.name for node in nodes}, key=str.casefold)[:_MOST_NAMES]
        waiting = await self.memory.services.review.vouching.listed(NotedFilter(include_private=asked.private))
        return {
            "names": names,
            "noted": waiting.total,
            "conflicts": (await self.memory.services.conflicts.waiting(include_private=asked.private)).total,
            "statuses": [
                (key, name, replace(asked.at(None), status=key).url) for key, name in queue_requests.STATUSES.items()
            ],
            "kinds": queue_requests.KINDS,
            "types": queue_requests.TYPES,
            "named": queue_requests.NAMED,
            "sure": queue_requests.SURE,
            "since": queue_requests.SINCE,
        }

    async def _changed(self, asked: QueueQuery, candidate_id: str, steps: Sequence[Step]) -> Response:
        """Return what stands in the place of each row that a verdict changed, its own first, and how many there are."""
        own = next(step for step in reversed(steps) if step.candidate_id == candidate_id)
        held = await self._moderation.candidates.fetch([step.candidate_id for step in steps])
        total, hidden = (await self._found(asked, 1)).total, await self._hidden(asked)
        count = self.templates.part("queue_count.html", asked=asked, total=total, hidden=hidden)
        if held[candidate_id].status is CandidateStatus.PENDING:
            return HTMLResponse(
                await self._row(asked, candidate_id, None, note=queue_requests.verdict_in_words(own)) + count
            )
        along = [
            outcome_of(held[step.candidate_id], queue_requests.verdict_in_words(step))
            for step in steps
            if step is not own
        ]
        told = outcome_of(held[candidate_id], queue_requests.verdict_in_words(own))
        return HTMLResponse(self.templates.part("queue_outcome.html", asked=asked, outcome=told, along=along) + count)

    async def _row(self, asked: QueueQuery, candidate_id: str, typed: VerdictForm | None, *, note: str = "") -> str:
        row = row_of(await self._seen(candidate_id, asked), typed)
        return self.templates.part("queue_row.html", asked=asked, row=row, note=note)
