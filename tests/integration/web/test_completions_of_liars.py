"""A provider that lies, asked over a real socket by clients of chat completions: not a word of its lies is sent.

Every byte that the server sends is looked at: heads, bodies, chunks, errors. The lies share words with no note, so each
of them would be seen.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from played_turns import FIRED, KILN, MOVED, WHERE, given, memory, scripted, sentence, sentences, tell, wire
from voice.core.grounding.values import GroundingPolicy
from voice.core.settings.providers import LlmSettings, VerifierSettings
from voice.core.settings.values import GateSettings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.access import Guard, Limits
from voice.entrypoints.web.server import authorities_of, listen, make_app, make_server
from voice.ports.llm import LlmRequest
from web_door import COOKIE, TOKEN

pytestmark = pytest.mark.requirement("http:completions:proven", "promise:1")
LIES = ("Kakadu", "411", "embezzled", "hurrah", "Zanzibar", "S4711", "beheaded")
"""A word of each lie."""
FALSE = "The parrot Kakadu paid 411 euros for it and embezzled the rest."
CHEER = "Such a delight, hurrah!"
BACK = "Why was the potter beheaded in Zanzibar?"
Speak = Callable[[LlmRequest], str]


def _alias(request: LlmRequest, span: str) -> str:
    return next(row.alias for row in request.evidence if span in row.text)


def _among_quotes(request: LlmRequest) -> str:
    """True sentences with lies between them: without a source, beside a real one, as a remark, as a question."""
    moved, fired = _alias(request, MOVED), _alias(request, FIRED)
    return sentences(
        sentence(CHEER, kind="remark"),
        sentence(MOVED, (moved, MOVED)),
        sentence(FALSE),
        sentence(FALSE, (moved, MOVED)),
        sentence("It was not Marta, who was beheaded.", (fired, "Marta fired the first bowls")),
        sentence(FIRED, (fired, FIRED)),
        sentence(BACK, kind="question"),
        sentence("| a thief | hurrah |\n|---|---|\n| Kakadu | 411 |", (moved, MOVED)),
        sentence("```\nhurrah, he fled\nhurrah?\n```", (moved, MOVED), kind="question"),
        notes=FALSE,
    )


def _misquoted(request: LlmRequest) -> str:
    return sentences(sentence(FALSE, (_alias(request, MOVED), FALSE)), sentence(FIRED, (_alias(request, FIRED), FIRED)))


def _refusing(_: LlmRequest) -> str:
    return json.dumps({"sentences": [], "refused": True, "notes": FALSE, "answer": FALSE})


def _old_form(request: LlmRequest) -> str:
    return wire(f"{FALSE} {MOVED} {FIRED}", (_alias(request, MOVED), MOVED), (_alias(request, FIRED), FIRED))


DRAFTS: dict[str, tuple[Speak, bool]] = {
    "lies among quotes": (_among_quotes, True),
    "the older form": (_old_form, True),
    "an invented quotation": (_misquoted, False),
    "lies in a refusal": (_refusing, False),
}
"""Drafts, and whether something of each is true."""


def _believing(request: LlmRequest) -> str:
    """Support every claim with words that stand nowhere, and call each remark one."""
    asked = json.loads(request.prompt)
    words = [{"source_id": one["source_id"], "words": FALSE, "doubt": None} for one in asked["sources"]]
    claims = [
        {"number": one["number"], "words": words, "verdict": "no_claim" if "hurrah" in one["text"] else "supported"}
        for one in asked["claims"]
    ]
    return json.dumps({"claims": claims, "answers_question": True})


@asynccontextmanager
async def _serving(home: Path, draft: Speak, policy: str, *, believes: bool) -> AsyncGenerator[int]:
    """Serve a memory whose model says `draft` on a free port."""
    settings = given(
        gate=GateSettings(enabled=True),
        llm=LlmSettings(stream=False),
        verifier=VerifierSettings(model="vendor/judge-1") if believes else VerifierSettings(name="none"),
        grounding=GroundingPolicy(on_unsupported=policy, min_coverage=0.2),  # pyright: ignore[reportArgumentType]
    )

    checker = scripted(_believing) if believes else None
    async with memory(home, scripted(draft), settings=settings, checker=checker) as services:
        await tell(services, *KILN)
        listening = listen("127.0.0.1", 0)
        port: int = listening.getsockname()[1]
        what = Guard(token=TOKEN, cookie=COOKIE, authorities=authorities_of("127.0.0.1", port))
        started = anyio.Event()
        server = make_server(make_app(Voice(services, settings), guard=what), Limits(), ready=started.set)
        async with anyio.create_task_group() as group:
            group.start_soon(server.serve, [listening])
            await started.wait()
            yield port
            server.stop()
    assert checker is None or checker.calls


async def _sent(port: int, stance: str, *, streams: bool) -> bytes:
    """Ask, and return every byte that comes back."""
    said = {"model": f"voice/{stance}", "messages": [{"role": "user", "content": WHERE}], "stream": streams}
    body = json.dumps({**said, "stream_options": {"include_usage": True}}).encode()
    head = (
        "POST /v1/chat/completions HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {TOKEN}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        "",
        "",
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write("\r\n".join(head).encode() + body)
    sent = await reader.read(-1)
    writer.close()
    return sent


@pytest.mark.parametrize(
    ("draft", "policy"),
    [
        *(("lies among quotes", policy) for policy in ("cut", "mark", "refuse")),
        *((draft, "mark") for draft in DRAFTS if draft != "lies among quotes"),
    ],
)
async def test_no_byte_of_a_lie_is_sent(tmp_path: Path, draft: str, policy: str) -> None:
    speak, is_partly_true = DRAFTS[draft]
    async with _serving(tmp_path, speak, policy, believes=False) as port:
        sent = [await _sent(port, "synthesize", streams=streams) for streams in (False, True)]
    for each in sent:
        assert b" 200 " in each.splitlines()[0], each
        assert [lie for lie in LIES if lie.encode() in each] == []
        is_answer = is_partly_true and policy != "refuse"
        assert (b'"refused":false' in each) == is_answer
        assert not is_answer or MOVED.encode() in each


async def test_no_byte_of_a_lie_is_sent_where_the_verifier_lies_too(tmp_path: Path) -> None:
    async with _serving(tmp_path, _among_quotes, "mark", believes=True) as port:
        sent = [
            await _sent(port, stance, streams=streams)
            for stance in ("synthesize", "challenge", "question")
            for streams in (False, True)
        ]
    for each in sent:
        assert b" 200 " in each.splitlines()[0], each
        assert [lie for lie in LIES if lie.encode() in each] == []
