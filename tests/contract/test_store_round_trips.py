"""Whatever a value holds, the store gives it back: drawn, on every store."""

from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store_strategies import rough_texts, rows, texts
from store_values import Driven, exchange, session, thought
from voice.core.records import Thought
from voice.core.session.lifecycle import append
from voice.core.text.normalise import clean_text
from voice.ports.stores import WriteBatch

anything = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


@pytest.mark.requirement("ruling:B8")
@anything
@given(data=st.data())
def test_any_row_comes_back(driven: Driven, data: st.DataObject) -> None:
    row = data.draw(rows("any"))
    key = f"any{_writes(driven)}"
    row = replace(row, id=f"{row.id[0]}:{key}")
    driven.run(driven.stores.memory.write(WriteBatch(rows=(row,))))
    back = driven.run(driven.stores.memory.fetch([row.id]))[row.id]
    assert replace(back, seq=0) == row
    assert type(back.created_at) is type(row.created_at)


@anything
@given(text=rough_texts)
def test_no_row_holds_nul_or_a_lone_surrogate(driven: Driven, text: str) -> None:
    row = replace(thought(), id=f"t:rough{_writes(driven)}", content=text, tags=(text,))
    driven.run(driven.stores.memory.write(WriteBatch(rows=(row,))))
    back = cast("Thought", driven.run(driven.stores.memory.fetch([row.id]))[row.id])
    assert (back.content, back.tags) == (clean_text(text), (clean_text(text),))


@pytest.mark.requirement("ruling:A7", "ruling:D18")
@anything
@given(
    question=texts,
    answer=rough_texts,
    cost=st.none() | st.decimals(min_value=0, max_value=10**6, allow_nan=False, places=9),
    topic=texts,
)
def test_any_conversation_comes_back(
    driven: Driven, question: str, answer: str, cost: Decimal | None, topic: str
) -> None:
    session_id = f"s:any{_writes(driven)}"
    turn = exchange(session_id, my_query=question, answer=answer, cost_estimate=cost)
    spoken = append(session(session_id, thread_topic=topic), turn)
    driven.run(driven.stores.sessions.save(spoken, [turn], expected=0))
    back = driven.run(driven.stores.sessions.load(session_id, window=5))
    assert back is not None
    assert str(back.context_window[0].cost_estimate) == str(cost)
    kept = replace(turn, answer=clean_text(answer), seq=_writes(driven) - 1)
    assert back == replace(spoken, context_window=(kept,), seq=_writes(driven))


def _writes(driven: Driven) -> int:
    return driven.run(driven.stores.memory.write(WriteBatch()))
