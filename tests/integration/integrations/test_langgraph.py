"""LangGraph's store and checkpointer, against its own store and its conformance tests."""

import sys
from collections.abc import AsyncGenerator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypedDict, cast

import pytest

from framework_memory import SECRET, opened
from voice.adapters import extras
from voice.adapters.system.agent_records import RecordFile
from voice.adapters.system.clock_and_ids import SystemClock
from voice.core.errors import ConfigurationError
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.integrations.langgraph_checkpointer import VoiceCheckpointer
from voice.integrations.langgraph_store import VoiceStore


class State(TypedDict):
    said: str
    count: int


def counting(saver: Any) -> Any:
    graphs = import_module("langgraph.graph")
    builder = graphs.StateGraph(State)

    def count(state: State) -> dict[str, int]:
        return {"count": state.get("count", 0) + 1}

    builder.add_node("count", count)
    builder.add_edge(graphs.START, "count")
    return builder.compile(checkpointer=saver)


@pytest.mark.requirement("frameworks:checkpoints")
async def test_the_checkpointer_passes_the_conformance_tests(tmp_path: Path) -> None:
    conformance = import_module("langgraph.checkpoint.conformance")
    async with opened(tmp_path) as voice:

        async def saver() -> AsyncGenerator[Any]:
            yield VoiceCheckpointer(voice)

        report = await conformance.validate(conformance.checkpointer_test(name="voice")(saver))
    failures = {name: each for name, each in report.to_dict()["results"].items() if each.get("failures")}
    assert report.passed_all_base(), failures
    assert failures == {}


@pytest.mark.requirement("frameworks:checkpoints")
async def test_a_graph_goes_on_where_another_process_left_it(tmp_path: Path) -> None:
    config = {"configurable": {"thread_id": "1"}}
    for turn in (1, 2, 3):
        async with opened(tmp_path) as voice:
            graph = counting(VoiceCheckpointer(voice))
            assert (await graph.ainvoke({"said": f"turn {turn}"}, config))["count"] == turn
            assert (await graph.ainvoke({"said": "other"}, {"configurable": {"thread_id": f"x{turn}"}}))["count"] == 1


@pytest.mark.requirement("frameworks:forget")
async def test_a_thread_that_quotes_what_is_forgotten_goes_and_others_stay(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        (note,) = (await voice.remember(SECRET)).stored
        graph = counting(VoiceCheckpointer(voice))
        for thread, words in (("1", f"You wrote: {SECRET}"), ("2", "Nothing of it.")):
            for said in (words, "later"):
                await graph.ainvoke({"said": said}, {"configurable": {"thread_id": thread}})
        done = await voice.services.forget(ForgetRequest(ids=frozenset({note})), "forget")
        assert len(done.elsewhere["agent records"]) > 2
        left = {thread: await graph.aget_state({"configurable": {"thread_id": thread}}) for thread in "12"}
        assert (left["1"].values, left["2"].values["count"]) == ({}, 2)
    assert not any(b"4711" in path.read_bytes() for path in tmp_path.glob("agents.sqlite*"))


@pytest.mark.requirement("frameworks:store")
async def test_the_store_does_what_langgraphs_own_does(tmp_path: Path) -> None:
    own = import_module("langgraph.store.memory")
    async with opened(tmp_path) as voice:
        assert await played(VoiceStore(voice)) == await played(own.InMemoryStore())


async def played(store: Any) -> list[Any]:
    """Return what a store tells while it is used, without times; in no order where the framework promises none."""
    for user, key, value in (
        ("ann", "a", {"likes": "kilns", "n": 1, "in": {"x": 1}}),
        ("ann", "b", {"likes": "wheels", "n": 2}),
        ("bob", "a", {"likes": "kilns", "n": 3, "tags": ["a"]}),
    ):
        await store.aput(("users", user, "prefs"), key, value)
    await store.aput(("docs",), "a", {"text": "Ä 🔥"})
    await store.aput(("users", "ann", "prefs"), "b", {"likes": "gates", "n": 2})
    heard: list[Any] = [await store.aget(("users", "ann", "prefs"), key) for key in ("a", "b", "none")]
    filters: list[dict[str, Any]] = [{}, {"likes": "kilns"}, {"n": {"$gt": 1}}, {"n": {"$gte": 2, "$lt": 3}}]
    filters += [{"n": {"$ne": 1}}, {"in": {"x": 1}}, {"n": {"$lte": 1}}, {"n": {"$eq": 3}}, {"tags": ["a"]}]
    for wanted in (*filters, {"likes": None}, {"likes": {"x": 1}}):
        found = await store.asearch(("users",), filter=wanted)
        heard.append(sorted((each.namespace, each.key) for each in found))
    heard += [len(await store.asearch((), limit=2)), len(await store.asearch((), limit=9, offset=3))]
    listings: list[dict[str, Any]] = [{}, {"prefix": ("users",)}, {"suffix": ("prefs",)}, {"max_depth": 1}]
    for asked in (*listings, {"prefix": ("*", "bob")}, {"limit": 1}):
        heard.append(await store.alist_namespaces(**asked))
    await store.adelete(("users", "ann", "prefs"), "a")
    await store.adelete(("users", "ann", "prefs"), "never")
    heard += [await store.aget(("users", "ann", "prefs"), "a"), len(await store.asearch(("users", "ann")))]
    return [each.dict() | {"created_at": 0, "updated_at": 0} if hasattr(each, "dict") else each for each in heard]


@pytest.mark.requirement("frameworks:store", "frameworks:records")
def test_a_batch_that_fails_leaves_nothing(tmp_path: Path) -> None:
    base = import_module("langgraph.store.base")
    services = SimpleNamespace(agent_records=RecordFile(tmp_path), clock=SystemClock())
    store = VoiceStore(cast("Any", SimpleNamespace(services=services)))
    good = base.PutOp(("a",), "k", {"x": 1})
    with pytest.raises(TypeError):
        store.batch([good, base.PutOp(("a",), "l", {"x": object()})])
    with pytest.raises(TypeError, match="not a store operation"):
        store.batch([good, "put"])
    assert store.batch([base.GetOp(("a",), "k")]) == [None]
    store.batch([good])
    assert store.batch([base.GetOp(("a",), "k")])[0].value == {"x": 1}
    assert store.batch([base.ListNamespacesOp((base.MatchCondition("suffix", ()),))]) == [[("a",)]]
    with pytest.raises(ValueError, match=r"unknown filter operator \$in; use \$eq, \$ne"):
        store.batch([base.SearchOp(("a",), {"x": {"$in": [1]}})])
    services.agent_records.close()


@pytest.mark.requirement("install:extras")
@pytest.mark.parametrize("module", ["langgraph_store", "langgraph_checkpointer"])
def test_without_langgraph_the_extra_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"voice.integrations.{module}"
    monkeypatch.setattr(extras, "find_spec", dict[str, object]().get)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ConfigurationError, match=r"inner-voice\[langgraph\]"):
        import_module(name)
