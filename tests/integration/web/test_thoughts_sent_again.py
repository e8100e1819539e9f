"""A thought that is sent again over HTTP to a server that was started again."""

from pathlib import Path

import httpx
import pytest

from voice.entrypoints.web.server import make_app
from web_door import API, BEARER, ORIGIN, Door, door, guard

_KEY = {"Idempotency-Key": "k"}
_SAID = "Marta Lind works at Clay Co in Lisbon."


async def sent_to_the_next_server(at: Door, body: dict[str, str]) -> httpx.Response:
    """Send a thought under the key to a server that remembers no answer."""
    transport = httpx.ASGITransport(make_app(at.memory, guard=guard()))
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=BEARER) as client:
        return await client.post(f"{API}/thoughts", json=body, headers=_KEY)


@pytest.mark.requirement("http:idempotency")
async def test_a_thought_in_a_capsule_that_was_closed_meanwhile_gets_its_answer(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        capsule = await at.memory.services.capsules.open("glazes")
        body = {"content": _SAID, "capsule": capsule.id}
        first = await at.client.post(f"{API}/thoughts", json=body, headers=_KEY)
        await at.memory.services.capsules.close(capsule.id)
        again = await sent_to_the_next_server(at, body)
        fresh = await at.client.post(f"{API}/thoughts", json=body)
    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])
    assert (again.headers["idempotency-replayed"], again.json()["pending_entities"]) == ("true", 0)
    assert first.json()["pending_entities"] > 0
    assert (fresh.status_code, fresh.json()["code"]) == (409, "capsule_closed")
