"""Parse answers and facts as other systems write them, for `check`.

Law: forgiving about form and never about meaning. What looks like JSON is JSON and must be whole: half a list of facts
is never taken for a text. Messages name the place of what is wrong and never repeat it. Members that are not known,
such as the score of a search, are nobody's matter here.

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
    """Return the facts that a file holds.

    Args:
        text: a JSON list of texts or objects, the same as JSON lines, or plain text with one fact a paragraph.

    Raises:
        InvalidParams: it is broken JSON, or one of them is no fact.
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
    """Return facts; those without an id are called by their place, from 1.

    Args:
        values: `Fact`s, texts, or objects with `text` and, where they are known, `id`, `date` and `speaker`.

    Raises:
        InvalidParams: one of them is none.
    """
    return tuple(value if isinstance(value, Fact) else _fact(value, at) for at, value in enumerate(values, 1))


def parse_answer(text: str) -> str | Draft:
    """Return an answer that a file holds: a text, or a draft where it is this program's wire JSON.

    Raises:
        InvalidParams: it is wire JSON that cannot be read, or a refusal.
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
    """Replace lone surrogates one for one: they cannot be printed."""
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
