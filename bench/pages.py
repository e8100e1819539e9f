"""What each page costs until its first byte: `python -m bench.pages [--rows N] [--turns N] [--repeats N] [--home DIR]`.

A store on disk of generated rows, as of `bench.scale`, with turns in sessions of a hundred as of `bench.reports`, and
with candidates that wait. Every address that a page can be had under is asked in this process, each once to be warm and
then several times; the processor's milliseconds until the first byte of its body are told, the engine's own threads
included, and the rest of a page that comes in pieces is not waited for. Prints JSON; an address over the limit is
named, and the run then ends with 1.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from time import process_time
from typing import Final, cast
from urllib.parse import quote, unquote, urlencode

import anyio
from starlette.applications import Starlette

from bench.report import Timings, machine, progress
from bench.reports import NOW, made_turn
from bench.scale_build import build
from bench.scale_data import questions
from bench.scale_home import Given, open_memory
from voice.bootstrap import Services
from voice.core.graph.review.candidates import Candidate, EntityProposal, candidate_id
from voice.core.records import Entity, Provenance, Thought
from voice.core.session.lifecycle import append, new_session
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import page_routes

LIMIT_MS: Final = 150
_DIM: Final = 384
_OF_A_SESSION: Final = 100
_CANDIDATES: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that a page is the answer to."""

    name: str
    path: str
    form: Mapping[str, str] | None = None


@asynccontextmanager
async def _opened(home: Path, given: Given) -> AsyncGenerator[Voice]:
    settings = parse_settings({"gate.enabled": True, "llm.provider": "extractive"}, {}, {}).settings
    async with open_memory(home, given) as services:
        yield Voice(services, settings)


async def _fill(services: Services, turns: int) -> None:
    """Add turns and candidates, unless there are some."""
    if await services.sessions.sessions(limit=1):
        return
    for first in progress(range(0, turns, _OF_A_SESSION), "talking"):
        made = [made_turn(first + at, NOW + timedelta(minutes=first + at)) for at in range(_OF_A_SESSION)]
        session = new_session(
            session_id=made[0].session_id,
            topic=f"topic {first}",
            provider="p",
            model="m",
            max_prompt_tokens=1,
            now=NOW + timedelta(minutes=first),
        )
        for each in made:
            session = append(session, each)
        await services.sessions.save(replace(session, revision=1, context_window=()), made, expected=0)
    notes = [change.row for change in await services.store.changes(0, 2 * _CANDIDATES)]
    thoughts = [row for row in notes if isinstance(row, Thought)][:_CANDIDATES]
    await services.review.moderation.candidates.save([_candidate(number, row) for number, row in enumerate(thoughts)])


def _candidate(number: int, row: Thought) -> Candidate:
    proposed = EntityProposal(name=f"Person {number}", entity_type="person")
    return Candidate(
        id=candidate_id(proposed),
        proposed=proposed,
        confidence=0.8,
        provenance=(Provenance(thought_id=row.id, start=0, end=9),),
        staged_at=NOW,
    )


async def _requests(memory: Voice, words: str) -> list[Asked]:
    """Return every page of a memory, and the searches."""
    services = memory.services
    changes = await services.store.changes(20_000 if (await services.store.head()).last_seq > 20_400 else 0, 400)
    rows = [change.row for change in changes if change.row is not None]
    thought = next(row.id for row in rows if isinstance(row, Thought))
    entity = next(row.id for row in rows if isinstance(row, Entity))
    turn = (await services.sessions.exchanges(session_id="s:bench-0001", limit=1))[0]
    one, session = f"/sources/{quote(thought, safe='')}", "/sessions/s:bench-0001"
    paths = {
        **{path: path for path in ("/", "/sessions", "/sources", "/review", "/graph", "/pins", "/reports")},
        **{path: path for path in ("/settings", "/keys", "/keys/palette", "/review/notes")},
        "/chat/{session}": "/chat/s:bench-0001",
        "/sessions/{session}": session,
        "/sessions?state=closed": "/sessions?state=closed",
        "/sessions/{session}/audit": f"{session}/audit",
        "/sessions/{session}/delete": f"{session}/delete",
        "/sources?kind=entities": "/sources?kind=entities",
        "/sources?standing=past": "/sources?standing=past",
        "/sources?kind=turns": "/sources?kind=turns",
        "/sources/{row}": one,
        "/sources/{row}/answers": f"{one}/answers",
        "/sources/{row}/sentence": f"{one}/sentence?{urlencode({'from': 0, 'to': 9})}",
        "/graph/{entity}": f"/graph/{quote(entity, safe='')}",
        "/turns/{turn}/sentences/0": f"/turns/{quote(turn.id, safe='')}/sentences/0",
    }
    looked_for = {
        "search: by meaning": {"words": words},
        "search: the very words, rare": {"words": words, "how": "words"},
        "search: the very words, none": {"words": "nobodysaysthis", "how": "words"},
        "search: a path": {"place": "diary/20000"},
        "search: what was said": {"words": "piano shed", "kind": "turns"},
        "search: tags": {"tags": "kiln"},
    }
    asked = [Asked(name=name, path=path) for name, path in paths.items()]
    searches = [Asked(name=name, path="/sources", form=form) for name, form in looked_for.items()]
    return [*asked, *searches, Asked(name="search: sessions", path="/sessions", form={"about": "piano shed"})]


async def _first_byte(app: Starlette, path: str, form: Mapping[str, str] | None = None) -> tuple[float, int, str]:
    """Ask for a page; return the processor seconds until its first byte, its status and where it leads."""
    body = urlencode(form or {}).encode()
    bare, _, query = path.partition("?")
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/x-www-form-urlencoded")]
    scope: MutableMapping[str, object] = {
        "type": "http",
        "method": "GET" if form is None else "POST",
        "path": unquote(bare),
        "raw_path": bare.encode(),
        "query_string": query.encode(),
        "headers": headers,
        "scheme": "http",
        "server": ("127.0.0.1", 80),
        "http_version": "1.1",
    }
    seen: dict[str, object] = {}
    began = process_time()

    async def receive() -> MutableMapping[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, object]) -> None:
        if message["type"] == "http.response.start":
            seen["status"] = message["status"]
            told = dict(cast("list[tuple[bytes, bytes]]", message["headers"]))
            seen["location"] = told.get(b"location", b"").decode()
        elif "took" not in seen:
            seen["took"] = process_time() - began
            rest.cancel()

    with anyio.CancelScope() as rest:
        await app(scope, receive, send)
    return float(str(seen["took"])), int(str(seen["status"])), str(seen["location"])


async def measure(home: Path, rows: int, turns: int, repeats: int) -> dict[str, object]:
    """Return what the pages of the memory in `home` cost."""
    await build(home, rows, _DIM)
    question = questions(rows, _DIM, 1)[0]
    given = Given(_DIM, {question.text: question.vector})
    figures: dict[str, object] = {}
    over: list[str] = []
    async with _opened(home, given) as memory:
        await _fill(memory.services, turns)
        app = Starlette(routes=page_routes(memory))
        for each in progress(await _requests(memory, question.text), "asking"):
            path = each.path
            if each.form is not None:
                _, status, path = await _first_byte(app, each.path, each.form)
                assert status == 303, (each.name, status)
            timings = Timings()
            for at in range(repeats + 1):
                took, status, _ = await _first_byte(app, path)
                assert status == 200, (each.name, status)
                if at:
                    timings.ms.append(1000 * took)
            figures[each.name] = timings.summary()
            over += [each.name] if timings.summary()["p50"] > LIMIT_MS else []
    return {
        "rows": rows,
        "turns": turns,
        "cpu_ms_until_first_byte": figures,
        "limit_ms": LIMIT_MS,
        "over": over,
        "machine": machine(),
    }


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--home", type=Path, help="a store that was built before is taken as it is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        home = options.home or Path(made)
        found = anyio.run(measure, home, options.rows, options.turns, options.repeats)
    sys.stdout.write(f"{json.dumps(found, indent=2)}\n")
    sys.exit(1 if found["over"] else 0)


if __name__ == "__main__":
    main()
