"""Says in a refusal what no note mentions, looked up in the index.

Law: what is said is what the index holds at that moment, of the rows that the question may see.

Source: ruling D5; promise 6.
"""

from dataclasses import dataclass, replace

from voice.core.answering.unmentioned import may_say, saying, words_to_look_up
from voice.core.grounding.values import GroundedResponse
from voice.core.records import Scope, Table
from voice.core.retrieval.values import LOCAL_FTS, RowFilter
from voice.ports.retrieval_provider import ProviderQuery, RetrievalProviders
from voice.ports.system import Clock
from voice.services.turn import AskRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmentioned:
    """Looks up the words of a question."""

    providers: RetrievalProviders
    clock: Clock

    async def told(self, response: GroundedResponse, question: str, request: AskRequest) -> GroundedResponse:
        """Return a response, and where it is a refusal for want of sources, with what no note mentions.

        Args:
            response: what a question ends in.
            question: without its time.
            request: whose rows may be seen.

        Raises:
            StoreError: the index cannot be read.
        """
        wanted = words_to_look_up(question) if may_say(response) else ()
        seen = RowFilter(
            tables=frozenset(Table),
            scope=request.scope,
            include_private=request.include_private,
            include_tags=request.include_tags,
            exclude_tags=request.exclude_tags,
            include_superseded=True,
        )
        lacking = [word for word in wanted if not (await self._found(word, seen))[0]]
        if not lacking:
            return response
        every = replace(seen, scope=Scope.ALL, include_private=True, include_tags=(), exclude_tags=())
        shown, there = [(await self._found(lacking[0], each))[1] for each in (seen, every)]
        return saying(response, lacking, is_all=shown == there)

    async def _found(self, word: str, row_filter: RowFilter) -> tuple[int, int]:
        """Return how many rows hold a word, and among how many."""
        provider = self.providers.named(LOCAL_FTS)
        answer = await provider.search(ProviderQuery(text=word, filter=row_filter, limit=1, now=self.clock.now()))
        return sum(answer.matched.values()), sum(answer.admitted.values())
