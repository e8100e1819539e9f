"""Read stored notes for candidates, and stage them for review.

Law: what a person wrote is kept before it is read, and stays kept whatever becomes of the reading; reading again
finishes what was cut short and changes nothing else. What is found must reach the threshold of its kind. The names of
private entities help to read private notes alone. A model is asked only where the setting or the caller says so, never
for what is only counted, and its failure loses nothing that was found before.

Source: spec rag-organize 2; rulings A21, C17, F; promise 6.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from anyio.lowlevel import checkpoint

from voice.core.errors import ConfigurationError, ProviderError, StoreError, UnknownId, VoiceError
from voice.core.extraction.extract import extract
from voice.core.extraction.model_reply import beside
from voice.core.graph.review.candidates import THING, CandidateKind, CandidateStatus, type_of
from voice.core.graph.review.extraction_results import (
    Extracted,
    ExtractedEntity,
    ExtractedRelation,
    Extractor,
    sure_enough,
)
from voice.core.graph.review.staging import StageLimits, stage_limits
from voice.core.interchange.foreign.vault import Offers
from voice.core.organise import given_names, linked_names, links_of, settled, things_of
from voice.core.records import Thought
from voice.core.text.normalise import norm_v1
from voice.ports.review_stores import CandidateFilter
from voice.services.graph.model_extraction import ModelReading
from voice.services.graph.moderation import Moderation
from voice.services.graph.staging import Staged, Staging
from voice.services.graph.vouching import enter_links
from voice.services.memory.remember import Remembered
from voice.services.retrieval.row_lookups import change_pages, fetch_thoughts

EVERYTHING_SURE: Final = stage_limits()
"""All that is sure enough, however much it is."""
NO_OFFERS: Final = Offers()
_PAGE: Final = 500  # notes whose findings are staged together
_PAGE_OF_MODEL: Final = 40  # the same where a model reads: what was paid for is staged soon
_READ_AT_ONCE: Final = 20  # notes read before other tasks have a turn
_NAMES_AT_ONCE: Final = 100  # names in one filter


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """The result of reading new notes."""

    staged: Staged = Staged()
    fault: str | None = None
    """Why not all of it was staged; reading again finishes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracting:
    """Reads notes and stages what they name and relate."""

    staging: Staging
    moderation: Moderation | None = None
    """Decides on links that a person wrote, which enter at once; None: they wait like everything else."""
    is_automatic: bool = True
    """Whether what comes in is read without being asked for."""
    extractor: Extractor = "rules"
    """Who reads stored notes where nobody says otherwise."""
    make_model: Callable[[], ModelReading] | None = None
    """Makes what a model reads with, at the first note: only then is a key or a provider needed."""

    async def stage(
        self, thoughts: Sequence[Thought], *, limits: StageLimits = EVERYTHING_SURE, dry_run: bool = False
    ) -> Staged:
        """Read by the rules and stage what is sure. Raises SessionConflict, StoreError: not all; stage again."""
        return await self._stage_found(await self._extract_by_rules(thoughts), limits=limits, dry_run=dry_run)

    async def _extract_by_rules(self, thoughts: Sequence[Thought]) -> Extracted:
        known = await self.staging.ingest.names.known()
        entities: list[ExtractedEntity] = []
        relations: list[ExtractedRelation] = []
        for start in range(0, len(thoughts), _READ_AT_ONCE):
            page = thoughts[start : start + _READ_AT_ONCE]
            for is_private, nodes in ((False, known.public.nodes), (True, known.nodes)):
                notes = [each for each in page if each.is_private is is_private]  # public notes: public names alone
                found = sure_enough(extract(notes, nodes))
                entities += found.entities
                relations += found.relations
            await checkpoint()  # reading is pure CPU work
        return Extracted(entities=tuple(entities), relations=tuple(relations))

    async def _stage_found(self, found: Extracted, *, limits: StageLimits = EVERYTHING_SURE, dry_run: bool) -> Staged:
        return await self.staging.stage(found.entities, found.relations, limits=limits, dry_run=dry_run)

    async def _stage_extracted(self, extractor: Extractor, thoughts: Sequence[Thought], *, dry_run: bool) -> Staged:
        """Stage what the extractor finds; what a model found before it failed is staged first, then that is raised."""
        rules = Extracted() if extractor == "llm" else await self._extract_by_rules(thoughts)
        staged = await self._stage_found(rules, dry_run=dry_run)
        if extractor == "rules" or dry_run or not thoughts:  # a model costs, so it is not asked for a count
            return staged
        if self.make_model is None:
            raise ConfigurationError("no language model is set up; use the rules with --extractor rules")
        read = await self.make_model()(thoughts)
        for found in read.found:
            staged += await self._stage_found(beside(rules, found), dry_run=False)  # less what the rules staged
        if read.fault is not None:  # only now: what was paid for is staged
            raise read.fault
        return replace(staged, unsupported=read.unsupported, unread=read.unread)

    async def stage_links(self, offers: Offers, *, linking: Callable[[int, int], None] | None = None) -> Staged:
        """Put the links between the notes of a vault into the graph, with their ends; stage what cannot go there.
        `linking` is told how many are in the graph, and of how many. Raises SessionConflict, StoreError: not all; stage
        again."""
        if not linked_names(offers):
            return Staged()
        spoken = frozenset(norm_v1(each) for each in (await self.staging.ingest.names.known()).spoken)
        offers = settled(offers, spoken)  # drops handles (`@name`) that nothing else knows
        names = linked_names(offers)
        types = await self._types([name for name in names if name not in spoken])  # what they were staged under before
        things = things_of(offers, known=spoken, types=types)
        edges, given = links_of(offers), given_names(offers)
        staged = await self.staging.stage(things, edges, limits=EVERYTHING_SURE, given=given)
        if self.moderation is None:
            return staged
        waiting = staged.waiting_entities | staged.waiting_relations
        entered = await enter_links(self.moderation, waiting, progress=linking)
        relations = entered & staged.waiting_relations
        return replace(
            staged,
            linked=len(relations),
            pending_entities=staged.pending_entities - len(entered & staged.waiting_entities),
            pending_relations=staged.pending_relations - len(relations),
            waiting_entities=staged.waiting_entities - entered,
            waiting_relations=staged.waiting_relations - entered,
        )

    async def stage_stored(
        self,
        ids: Sequence[str] | None = None,
        *,
        dry_run: bool = False,
        extractor: Extractor | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Staged:
        """Read stored thoughts, or all where `ids` is None, page by page; by whom the setting says without `extractor`.
        Raises ProviderError: the model failed, or a cap ended it; ConfigurationError: there is no model, or it needs a
        key; UnknownId: an id is no thought's; SessionConflict, StoreError. What was found before is staged."""
        extractor = extractor or self.extractor
        staged, counted = Staged(), list[Thought]()
        async for page in self._all_pages() if ids is None else self._pages(ids):
            size = _PAGE if extractor == "rules" or dry_run else _PAGE_OF_MODEL  # what was paid for is staged soon
            for some in (page[start : start + size] for start in range(0, len(page), size)):
                if dry_run:
                    counted += some  # decided as one, below: what two pages name would count twice
                else:
                    staged += await self._stage_extracted(extractor, some, dry_run=False)
                if progress:
                    progress(len(some))
        return await self._stage_extracted(extractor, counted, dry_run=True) if dry_run else staged

    async def _pages(self, ids: Sequence[str]) -> AsyncIterator[list[Thought]]:
        wanted = list(dict.fromkeys(ids))
        for start in range(0, len(wanted), _PAGE):
            page = wanted[start : start + _PAGE]
            found = await fetch_thoughts(self.staging.ingest.store, page)
            missing = next((each for each in page if each not in found), None)
            if missing is not None:
                raise await self.staging.ingest.forgotten.no_thought(missing)
            yield [found[each] for each in page]

    async def _all_pages(self) -> AsyncIterator[list[Thought]]:
        async for changes in change_pages(self.staging.ingest.store, size=_PAGE):
            yield [change.row for change in changes if isinstance(change.row, Thought)]

    async def arrived(
        self,
        ids: Sequence[str],
        offers: Offers = NO_OFFERS,
        *,
        progress: Callable[[int], None] | None = None,
        linking: Callable[[int, int], None] | None = None,
    ) -> Arrived:
        """Read what has just come in, where wished; a failure is told, not raised, for it is kept already."""
        staged = Staged()
        if not self.is_automatic:
            return Arrived()
        failed: VoiceError | None = None
        try:
            try:  # a model's failure keeps no links out
                staged += await self.stage_stored(ids, progress=progress)
            except (ProviderError, ConfigurationError) as fault:
                failed = fault
            staged += await self.stage_links(offers, linking=linking)
        except (StoreError, UnknownId) as fault:  # UnknownId: forgotten meanwhile
            failed = fault
        return Arrived(staged=staged, fault=None if failed is None else failed.message)

    async def arrived_once(self, remembered: Remembered) -> Arrived:
        """Read what was remembered, as it is new or not."""
        stored = remembered.report.stored
        return await (self.arrived_before(*stored) if remembered.is_replayed else self.arrived(stored))

    async def arrived_before(self, thought_id: str) -> Arrived:
        """Read by the rules what came in before and may not have been read, as a crash came between; see `arrived`.
        Nothing tells a thought that was not read from one in which nothing was found; reading again by rules is free
        and stages nothing twice. A model would be paid for each time: `voice kg stage` does that for who wishes."""
        if self.extractor != "rules" or not self.is_automatic:
            return Arrived()
        if await self.staging.candidates.count(CandidateFilter(thought_id=thought_id)):
            return Arrived()
        return await self.arrived([thought_id])

    async def _types(self, names: Sequence[str]) -> dict[str, str]:
        """Return the types under which things of these names were staged; what was rejected counts last."""
        types: dict[str, str] = {}
        for status in (CandidateStatus.REJECTED, CandidateStatus.PENDING, CandidateStatus.APPROVED):  # the last wins
            for start in range(0, len(names), _NAMES_AT_ONCE):
                where = CandidateFilter(
                    kind=CandidateKind.ENTITY, status=status, named=tuple(names[start : start + _NAMES_AT_ONCE])
                )
                for held in await self.staging.candidates.candidates(where, limit=_PAGE):
                    if type_of(held.proposal) != THING:
                        types |= dict.fromkeys(held.names, type_of(held.proposed))
        return types
