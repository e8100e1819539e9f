"""Which summaries are read for a query, and how much of them."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recall_values import summary
from retrieval_doubles import NOW
from store_values import thought
from voice.core.recall.candidates import READ_CHARS, weighed_summaries
from voice.core.recall.capsules import is_summary_visible
from voice.core.recall.values import RecallParams, Summary
from voice.core.records import Scope
from voice.core.retrieval.values import Window

PARAMS = RecallParams(query="kiln", scope=Scope.ALL, now=NOW)
BIG = "The kiln is hot. " * 470


def written(key: str, content: str, **members: object) -> Summary:
    return summary(f"c:{key}", **{"content": content, "created_at": NOW, **members})


def read(*summaries: Summary, params: RecallParams = PARAMS) -> tuple[list[str], int]:
    weighed, unread = weighed_summaries(summaries, params)
    return [each.summary.id for each in weighed], unread


def test_a_summary_without_a_word_of_the_query_is_not_weighed() -> None:
    assert read(written("1", "The kiln is hot."), written("2", "The ferry is late.")) == (["m:c:1"], 0)


@pytest.mark.requirement("ruling:H.5", "ruling:A22")
def test_what_may_not_be_seen_is_not_read() -> None:
    secret, old = written("1", BIG, is_private=True), written("2", BIG, created_at=NOW - timedelta(days=9))
    today = replace(PARAMS, window=Window(start=NOW - timedelta(days=1), end=None))
    assert read(secret, old, params=today) == ([], 0)
    assert read(secret, old, params=replace(PARAMS, include_private=True)) == (["m:c:1", "m:c:2"], 0)


@pytest.mark.requirement("ruling:G.2g")
def test_what_is_too_much_to_read_is_counted() -> None:
    fitting = READ_CHARS // len(BIG)
    found, unread = read(*(written(f"{n:03}", BIG) for n in range(fitting + 5)))
    assert (len(found), found[0], unread) == (fitting, "m:c:000", 5)


@pytest.mark.requirement("ruling:H.5")
def test_the_summary_of_a_session_is_read_in_the_scope_of_that_session_alone() -> None:
    own = written("1", "The kiln is hot.", scope=Scope(session_id="c:1"), evidence_refs=("t:1",))
    rows = {"t:1": thought("t:1", scope=Scope(repo_id="/x"))}
    here = [replace(PARAMS, scope=Scope(session_id=key, repo_id=repo)) for key, repo in (("c:1", "/x"), ("c:1", "/y"))]
    assert [is_summary_visible(own, rows, params) for params in here] == [True, False]
    assert not is_summary_visible(own, rows, replace(PARAMS, scope=Scope(session_id="c:2", repo_id="/x")))
    assert not is_summary_visible(replace(own, scope=Scope(repo_id="/z")), rows, here[0])
