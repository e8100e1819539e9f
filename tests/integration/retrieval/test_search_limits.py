"""S3's `limit` and `order` as parameters of retrieval."""

from pathlib import Path

import pytest

from played_turns import KILN, later, memory, tell
from voice.core.errors import InvalidParams
from voice.core.retrieval.params import RetrieveRequest


@pytest.mark.requirement("s3:sql:limit", "s3:api:limit", "s3:sql:order", "s3:api:order", "ruling:A22", "ruling:A24")
async def test_a_retrieval_takes_a_limit_and_an_order(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        for days, text in enumerate(KILN):
            await tell(services, text, created_at=later(days=-days))
        request = RetrieveRequest(query="kiln", floor=0.0, limit=60, order="created_at_asc")
        wide = await services.find(request)
        few = await services.find(RetrieveRequest(query="kiln", floor=0.0, limit=2))
        most = await services.find(RetrieveRequest(query="kiln", floor=0.0, limit=1000))
        with pytest.raises(InvalidParams, match="top_k and limit"):
            await services.find(RetrieveRequest(query="kiln", limit=2, top_k=3))
    dates = [snippet.created_at for snippet in wide.snippets]
    assert dates == sorted(dates)
    assert (wide.diagnostics.k_req, few.diagnostics.k_req, len(few.snippets)) == (60, 2, 2)
    assert most.diagnostics.k_req == 100
    assert "limit 1000" in most.diagnostics.warnings[0]
