"""The organising tool (`inner_voice`): find notes, answer in their words, stage what they name, keep the answer.

Law: what is staged, kept or marked rests on what was found; where nothing was, nothing is (ruling A14). Staging comes
first, because it can be repeated; the answer is kept next, with a vector of its own; marking comes last, takes only the
sources that something was staged from, none whose mark a person took away, and a failure of it costs nothing but the
marks. No model is asked.

Source: spec rag-organize 2 to 4; rulings A1, A13, A14, A22, A24, C1, F.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from voice.core.errors import VoiceError
from voice.core.graph.removal.lifecycle import is_kept
from voice.core.organise import (
    OrganiseDefaults,
    OrganiseParams,
    OrganiseRequest,
    OrganiseResult,
    OrganiseSource,
    answer_of,
    answering_texts,
    excerpt_of,
    left_out,
    organise_params,
    saved_answer,
)
from voice.core.records import Thought
from voice.core.text.display import counted
from voice.services.graph.extraction import Extracting
from voice.services.graph.staging import Staged
from voice.services.memory.ingest import Ingest
from voice.services.removal.removals import Removals
from voice.services.retrieval.search import Retrieve


@dataclass(frozen=True, slots=True, kw_only=True)
class Organise:
    """Answers from notes and puts what they hold before a person."""

    retrieve: Retrieve
    extracting: Extracting
    ingest: Ingest
    removals: Removals
    defaults: OrganiseDefaults

    async def __call__(
        self, request: OrganiseRequest, say: Callable[[str], None] = lambda _said: None
    ) -> OrganiseResult:
        """Return the answer with its sources, and what was staged, kept and marked; `say` is told what is being done.
        Raises InvalidParams: the question is empty, or a number is not one; EmbedderUnavailable, ScopeRequired,
        StoreError: nothing can be read, or not all kept; asking again stages nothing twice."""
        params = organise_params(request, self.defaults)
        scope = await self.retrieve.scoping(request.scope, request.surroundings)
        say("looking")
        wanted = replace(params.retrieve, scope=scope)
        found = await self.retrieve.with_missing_phrases(await self.retrieve(wanted), wanted)
        notes = [each.row for each in found.chosen if isinstance(each.row, Thought)]
        answering = answering_texts(notes)
        sources = [each for each in notes if each.id in answering]
        organised = OrganiseResult(
            synthesized_answer=answer_of([*answering.values()]),
            sources=tuple(
                OrganiseSource(thought_id=each.id, similarity=each.score, excerpt=excerpt_of(answering[each.id]))
                for each in found.snippets
                if each.id in answering
            ),
            dry_run=params.dry_run,
            warnings=(*params.warnings, *found.diagnostics.warnings, *left_out(notes, answering)),
        )
        if not sources:
            return organised
        say(f"found {counted(len(sources), 'note')}")
        staged = Staged()
        if params.limits is not None:
            say("staging entities and relations")
            staged = await self.extracting.stage(sources, limits=params.limits, dry_run=params.dry_run)
        organised = replace(
            organised,
            pending_entities=len(staged.waiting_entities),
            pending_relationships=len(staged.waiting_relations),
        )
        if params.saves:
            say("storing the answer")
            organised = await self._kept(organised, sources)
        return await self._marked(organised, sources, staged, params) if params.marks else organised

    async def _kept(self, organised: OrganiseResult, sources: Sequence[Thought]) -> OrganiseResult:
        row_id, now = self.ingest.ids.new_id("t"), self.ingest.clock.now()
        answer = saved_answer(organised.synthesized_answer, sources, row_id=row_id, now=now)
        report = await self.ingest.store_thoughts([answer])
        if not report.stored:  # a new id, so only its words can stand in the way
            return _warned(organised, "you forgot this answer before, so it was not stored")
        kept = replace(organised, saved_thought_id=report.stored[0])
        if not report.unembedded:
            return kept
        return _warned(kept, f"the answer was stored without a vector ({report.embedder_fault})")

    async def _marked(
        self, organised: OrganiseResult, sources: Sequence[Thought], staged: Staged, params: OrganiseParams
    ) -> OrganiseResult:
        """Mark those sources that something was staged from, as well as that goes."""
        behind = [source for source in sources if source.id in staged.behind]
        going = [source.id for source in behind if not is_kept(source)]  # a person took the mark away
        if left := len(sources) - len(behind):
            organised = _warned(organised, f"nothing was staged from {left} of the sources, so they were not marked")
        if kept := len(behind) - len(going):
            unmarked = f"{counted(kept, 'source')} unmarked before, so not marked again"
            organised = _warned(organised, f"{unmarked}; `voice removals mark` marks them")
        if not going:
            return organised
        try:
            marking = await self.removals.mark(going, dry_run=params.dry_run)
        except VoiceError as fault:
            return _warned(organised, f"the sources were not marked: {fault.message}")
        return replace(organised, marked_for_removal=len(marking.changed))


def _warned(organised: OrganiseResult, warning: str) -> OrganiseResult:
    return replace(organised, warnings=(*organised.warnings, warning))
