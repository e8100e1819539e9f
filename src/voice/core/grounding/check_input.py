"""Parse answers and facts in other systems' formats, for `check`.

Law: lenient about form, never about meaning: text that starts as JSON must be complete JSON. Unknown members are
ignored. Messages give the position of an error and never repeat the text.
Source: DESIGN 6 "The judge is a product of its own".
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import cast

from voice.core.errors import InvalidParams
from voice.core.grounding.check import Fact
from voice.core.grounding.draft import parse_draft
from voice.core.grounding.reply import DraftFault
from voice.core.grounding.values import Draft
from voice.core.messages import asking as messages

_SURROGATES = re.compile("[\ud800-\udfff]")
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_JSON_LIST = re.compile(r'\[\s*(?:["{\]]|$)')
_OUR_DRAFT = re.compile(r'\{\s*"(?:sentences|answer|sources|refused|notes)"\s*:')
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ].*)?", re.DOTALL)


def parse_facts(text: str) -> tuple[Fact, ...]:
    """Parse the facts of a file.

    Args:
        text: a JSON list of texts or objects, JSON Lines, or plain text with one fact per paragraph.

    Raises:
        InvalidParams: broken JSON, or an entry is not a fact.
    """
    body = text.removeprefix("\ufeff").strip()
    if _JSON_LIST.match(body):
        found = _decoded(body, messages.FACTS_CUT_OFF)
        return facts_of(cast("list[object]", found) if isinstance(found, list) else [found])
    if body.startswith("{") or (body.startswith('"') and _is_json(body.splitlines()[0])):
        lines = [(at, line) for at, line in enumerate(body.splitlines(), 1) if line.strip()]
        if len(lines) > 1 and not _is_json(lines[0][1]):
            return facts_of([_decoded(body, messages.FACTS_SHAPE)])
        return facts_of([_decoded(line, messages.fact_line_not_json(at)) for at, line in lines])
    return facts_of([each for each in _PARAGRAPHS.split(body) if each])


def facts_of(values: Sequence[object]) -> tuple[Fact, ...]:
    """Convert values to facts; those without an id are numbered from 1.

    Args:
        values: `Fact`s, texts, or objects with `text` and optionally `id`, `date` and `speaker`.

    Raises:
        InvalidParams: a value is not a fact.
    """
    return tuple(value if isinstance(value, Fact) else _fact(value, at) for at, value in enumerate(values, 1))


def parse_answer(text: str) -> str | Draft:
    """Parse an answer file: plain text, or a draft in this program's wire JSON.

    Raises:
        InvalidParams: unreadable wire JSON, or a refusal.
    """
    body = text.removeprefix("\ufeff").strip()
    if not _OUR_DRAFT.match(body):
        return _legible(body)
    draft = parse_draft(body)
    if isinstance(draft, DraftFault):
        raise InvalidParams(messages.answer_unreadable(draft.message))
    if draft.refused:
        raise InvalidParams(messages.REFUSAL_TO_CHECK)
    return draft


def _fact(value: object, at: int) -> Fact:
    if isinstance(value, str):
        return Fact(text=_legible(value), id=f"{at}")
    if not isinstance(value, Mapping):
        raise InvalidParams(messages.fact_shape(at))
    fields = cast("Mapping[str, object]", value)
    text = _text(fields, "text", at)
    if text is None:
        raise InvalidParams(messages.fact_without_text(at))
    told_on, named = _text(fields, "date", at), fields.get("id")
    source_id = f"{named}" if isinstance(named, int) and not isinstance(named, bool) else _text(fields, "id", at)
    return Fact(
        text=text,
        id=source_id.strip() if source_id and source_id.strip() else f"{at}",
        told_on=None if told_on is None else _day(told_on, at),
        speaker=_text(fields, "speaker", at),
    )


def _text(fields: Mapping[str, object], name: str, at: int) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidParams(messages.fact_field_shape(name, at))
    return None if value is None else _legible(value)


def _day(text: str, at: int) -> date:
    written = _DAY.fullmatch(text.strip())
    try:
        return date.fromisoformat(written[1] if written else text)
    except ValueError:
        raise InvalidParams(messages.fact_date_shape(at)) from None


def _legible(text: str) -> str:
    """Replace lone surrogates one for one, so that offsets hold; they cannot be printed."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _decoded(text: str, wrong: str) -> object:
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        raise InvalidParams(wrong) from None
