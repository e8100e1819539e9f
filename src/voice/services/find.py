"""`retrieve` as callers know it: parameters as given, the time in words.

Law: the query of S0's tool is searched, not interpreted; only an explicit `when` narrows the time, and one that cannot
be understood is an error (ruling E).

Source: spec inner_voice.retrieve, Parameters; rulings A22, C16, E.
"""

from dataclasses import dataclass, replace

from voice.core.nlq.parse import parse_query
from voice.core.nlq.values import NlqSettings
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.values import Selection
from voice.ports.system import Clock
from voice.services.retrieve import Retrieve


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """Retrieves snippets for what a caller asked."""

    retrieve: Retrieve
    clock: Clock
    defaults: RetrieveDefaults
    nlq: NlqSettings
    timezone: str

    async def __call__(self, request: RetrieveRequest) -> Selection:
        """Return S0's snippets with their diagnostics.

        Raises:
            InvalidParams: the query is empty, a number is not one, or `when` cannot be understood.
            EmbedderUnavailable, ScopeRequired, StoreError: as `Retrieve` raises them.
        """
        params = clean_params(request, self.defaults)
        if request.when is None:
            return await self.retrieve(params)
        now = request.now or self.clock.now()
        parsed = parse_query(
            params.query, now=now, timezone=self.timezone, settings=self.nlq, entities=(), when=request.when
        )
        return await self.retrieve(params if parsed.window is None else replace(params, window=parsed.window))
