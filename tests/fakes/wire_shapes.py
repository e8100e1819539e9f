"""The shapes that providers' replies and errors have, each with what becomes of a question that gets it.

One row holds whole and streamed, unless it says that it is one of the two alone. `calls` counts every request, `paid`
those that were answered with a reply. `waits` are the pauses between the calls that somebody asked for.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, cast

from fakes.fake_replies import Dialect
from fakes.shaped_provider import Answer, Chooses, Json, Raw, Says

How = Literal["both", "whole", "streamed"]
LIMIT: Final = ("2048 tokens", "SURR_INNER_VOICE_MAX_OUTPUT_TOKENS", "llm.max_output_tokens")
MODEL: Final = "SURR_INNER_VOICE_MODEL"
KEY: Final = "SURR_INNER_VOICE_API_KEY"
BASE: Final = "SURR_INNER_VOICE_API_BASE"
PROVIDER: Final = "SURR_INNER_VOICE_PROVIDER"
SECRET: Final = "SECRETPROMPT"
_MUCH_LATER: Final = "Wed, 21 Oct 2099 07:28:00 GMT"
PAID: Final = frozenset({"answered", "cut", "declined", "model_refused", "malformed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One row of the table."""

    dialect: Dialect
    name: str
    outcome: str
    """`answered`, or the reason of the refusal."""
    answers: tuple[Answer | Chooses, ...]
    words: tuple[str, ...] = ()
    """What the note says, among other things."""
    calls: int = 1
    paid: int | None = None
    """None: one of a turn that got a reply; none where the provider failed."""
    waits: tuple[float, ...] = ()
    how: How = "both"


def shape(
    dialect: Dialect,
    name: str,
    outcome: str,
    *answers: Answer | Chooses,
    words: tuple[str, ...] = (),
    calls: int = 1,
    paid: int | None = None,
    waits: tuple[float, ...] = (),
    how: How = "both",
) -> Shape:
    """Return a row."""
    return Shape(
        dialect=dialect,
        name=name,
        outcome=outcome,
        answers=answers,
        words=words,
        calls=calls,
        paid=paid,
        waits=waits,
        how=how,
    )


def fault(status: int, message: str, headers: dict[str, str] | None = None, **members: object) -> Raw:
    """Return an error as OpenAI has it; like a real one, it repeats what was sent."""
    return Raw(status=status, body={"error": {"message": f"{message} {SECRET}", **members}}, headers=headers or {})


def google(status: int, name: str, message: str, *details: Json, headers: dict[str, str] | None = None) -> Raw:
    """Return an error as Google has it."""
    error: Json = {"message": f"{message} {SECRET}", "code": status, "status": name, "details": list(details)}
    return Raw(status=status, body={"error": error}, headers=headers or {})


def unless(*path: str, fault: Raw) -> Chooses:
    """Reject every request that has something in it, and answer the others."""

    def chosen(body: Json) -> Answer:
        at = body
        for name in path:
            if name not in at:
                return Says()
            found: object = at[name]
            at = cast("Json", found) if isinstance(found, dict) else {}
        return fault

    return chosen


def fenced(draft: str) -> str:
    """Say the draft in a code fence, with words around it."""
    return f"Sure!\n```json\n{draft}\n```\nThere you are."


def thought_aloud(draft: str) -> str:
    """Think aloud before the draft."""
    return f"<think>They ask {{where}}.</think>\n{draft}"


def as_event(raw: Raw) -> Raw:
    """Return a whole body as the one event of a stream."""
    return Raw(body=f"data: {json.dumps(raw.body)}\n\n", content_type="text/event-stream")


def both(made: Callable[..., Shape], name: str, raw: Raw, **fields: object) -> list[Shape]:
    """Return the rows of a body that comes whole, and as the one event of a stream."""
    return [
        made(name, "declined", raw, paid=0, how="whole", **fields),
        made(name, "declined", as_event(raw), paid=0, how="streamed", **fields),
    ]


def common(made: Callable[..., Shape]) -> list[Shape]:
    """Return the rows that are alike at every provider."""
    gateway = Raw(status=502, body="<html>Bad gateway</html>", content_type="text/html")
    page = Raw(body="<html>Sign in</html>", content_type="text/html")
    elsewhere = Raw(status=307, headers={"location": "http://127.0.0.1:9/elsewhere"})
    return [
        made("plain", "answered", Says()),
        made("a fence", "answered", Says(text=fenced)),
        made("no finish reason", "answered", Says(finish="")),
        made("thoughts", "answered", Says(thinks=True)),
        made("a page", "provider_error", page, words=("web page", BASE)),
        made("a redirect", "provider_error", elsewhere, words=("another address", BASE)),
        made("a bad gateway", "provider_error", gateway, words=("status 502",), calls=4),
        made("an empty body", "provider_error", Raw(), calls=4),
        made("a passing fault", "answered", fault(503, "busy"), Says(), calls=2),
        made("a wait", "answered", fault(429, "slow", {"retry-after": "2"}), Says(), calls=2, waits=(2.0,)),
        made("a wait until a day", "provider_error", fault(429, "slow", {"retry-after": _MUCH_LATER}), words=("days",)),
        made("a long wait", "provider_error", fault(429, "slow", {"retry-after": "90"}), words=("in 90 seconds",)),
        made("an unknown model", "provider_error", fault(404, "no such model"), words=(MODEL, BASE)),
        made("a bad key", "provider_error", fault(401, "no"), words=("key", KEY)),
        made("no credit", "provider_error", fault(402, "no"), words=("payment", PROVIDER)),
        made("a forbidden model", "provider_error", fault(403, "no"), words=(KEY, MODEL)),
    ]
