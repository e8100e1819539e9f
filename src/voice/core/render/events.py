"""Events of a turn as programs read them: one JSON object each, the same at every door.

Law: nothing is added to an event and no word of a draft can be, because none is in it; unknown is null, money a decimal
string (schema: schemas/events.schema.json). A person who waits is shown one line of each, without a word of the memory.

Source: docs/streaming.md; rulings D9, D18.
"""

from collections.abc import Mapping
from decimal import Decimal

from voice.core.render.turn_json import citation_json, exchange_json, sentence_json
from voice.core.session.turn_events import (
    Asked,
    Calibrating,
    Done,
    Drafting,
    Event,
    Judged,
    Refused,
    Retrieved,
    Sentence,
    Understood,
)
from voice.core.text.display import counted
from voice.core.text.instants import render_instant
from voice.core.usage import Usage

_CENT = Decimal("0.01")


def event_json(event: Event) -> Mapping[str, object]:
    """Return an event as a JSON object; `event` is its kind."""
    match event:
        case Understood():
            return _understood(event)
        case Retrieved(ids=ids, shown=shown):
            return {"event": "retrieved", "ids": list(ids), "shown": list(shown)}
        case Asked():
            return {
                "event": "asked",
                "provider": event.provider,
                "model": event.model,
                "prompt_tokens": event.prompt_tokens,
                "attempt": event.attempt,
            }
        case Drafting(tokens=tokens, attempt=attempt):
            return {"event": "drafting", "tokens": tokens, "attempt": attempt}
        case Calibrating():
            return {
                "event": "calibrating",
                "verifier": event.verifier,
                "calls": event.calls,
                "expected_cost_usd": _money(event.expected_cost),
            }
        case Judged():
            return _judged(event)
        case _:
            return _outcome(event)


def error_json(code: str, message: str) -> Mapping[str, object]:
    """Return how a stream ends whose turn could not be made: in place of `done`."""
    return {"event": "error", "code": code, "message": message}


def event_line(event: Event) -> str:
    """Return what a person is told while they wait."""
    match event:
        case Understood(time=time):
            return "looking" if time is None else f"looking; {time}"
        case Retrieved(ids=ids, shown=shown):
            return f"found {counted(len(ids), 'sentence')}, {len(shown)} for the prompt"
        case Asked():
            again = f", try {event.attempt}" if event.attempt > 1 else ""
            return f"asking {event.provider}/{event.model}{again}"
        case Drafting(tokens=tokens):
            return f"drafting, {counted(tokens, 'token')} so far; shown when it is judged"
        case Calibrating():
            return calibrating_line(event)
        case Judged():
            return "judged; keeping it"
        case _:
            return "done"


def calibrating_line(event: Calibrating) -> str:
    """Return what a person is told before a verifier is tried: how many calls, and what they would cost."""
    cost = "at an unknown price" if event.expected_cost is None else f"about ${event.expected_cost:.2f}"
    cost = "for less than $0.01" if event.expected_cost is not None and event.expected_cost < _CENT else cost
    return f"trying {event.verifier} on claims whose truth is known: {counted(event.calls, 'call')}, {cost}, once"


def _understood(event: Understood) -> Mapping[str, object]:
    return {
        "event": "understood",
        "terms": list(event.terms),
        "phrases": list(event.phrases),
        "entity_ids": list(event.entity_ids),
        "time": event.time,
        "start": None if event.start is None else render_instant(event.start),
        "end": None if event.end is None else render_instant(event.end),
    }


def _judged(event: Judged) -> Mapping[str, object]:
    return {
        "event": "judged",
        "refused": event.refused,
        "reason": event.reason.value if event.reason else None,
        "coverage_ratio": event.coverage_ratio,
        "source_count": event.source_count,
        "rungs": list(event.rungs),
        "sentences_cut": event.sentences_cut,
        "stopped": event.stopped,
    }


def _outcome(event: Sentence | Refused | Done) -> Mapping[str, object]:
    match event:
        case Sentence(index=index, judged=judged, spans=spans):
            told = sentence_json(judged)
            return {"event": "sentence", "index": index, **told, "spans": [citation_json(span) for span in spans]}
        case Refused():
            return {
                "event": "refused",
                "reason": event.reason.value if event.reason else None,
                "message": event.message,
                "notes": event.notes,
                "evidence": [citation_json(source) for source in event.evidence],
            }
        case _:
            return {
                "event": "done",
                "usage": _usage(event.usage),
                "cost_estimate": _money(event.cost),
                "reckoned": None if event.reckoned is None else _usage(event.reckoned),
                "reckoned_cost_estimate": _money(event.reckoned_cost),
                "turn": exchange_json(event.exchange),
            }


def _usage(usage: Usage) -> Mapping[str, object]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
    }


def _money(sum_: Decimal | None) -> str | None:
    return None if sum_ is None else f"{sum_:f}"
