"""A retrieval provider that another package brings, from its entry point to the answer."""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval_doubles import BelievingIndex, OneVector, Rows, retrieve_over
from retrieval_rows import observation, thought
from voice.core.errors import ConfigurationError, InvalidParams
from voice.core.render.retrieval import render_explain
from voice.core.retrieval.selection import OUT_OF_TIME
from voice.core.retrieval.values import RetrieveParams
from voice.services.retrieval.search import Retrieve

NEWEST = '''
"""Finds the newest rows, whatever is asked."""

from dataclasses import replace

import anyio

from voice.core.records import Table, table_of
from voice.core.retrieval.values import Found, Hit
from voice.ports.retrieval_provider import ProviderAnswer


class Newest:
    name = "newest"
    is_deterministic = True

    def __init__(self, context):
        self.rows = context.rows

    async def search(self, query):
        rows = await self.rows.fetch(["t:1", "t:2", "o:1", "t:secret"])
        found = [
            Found(hit=Hit(row_id=row_id, table=table_of(row_id), cosine=None, lexical=0.0), score=0.5, rank_score=0.5)
            for row_id in sorted(rows, key=table_of)
        ]
        return ProviderAnswer(found=found, admitted={}, matched={})


class Slow(Newest):
    name = "slow"

    async def search(self, query):
        if query.text == "slowly":
            await anyio.sleep_forever()
        answer = await super().search(query)
        return replace(answer, is_partial=query.text == "in part")


class Misnamed(Newest):
    name = "latest"


def broken(context):
    raise RuntimeError("memory text that must not be shown")


def nothing(context):
    return None
'''
ENTRIES = """[voice.retrieval_providers]
newest = newest_rows:Newest
slow = newest_rows:Slow
misnamed = newest_rows:Misnamed
broken = newest_rows:broken
missing = not_there_at_all:Provider
nothing = newest_rows:nothing
local-fts = newest_rows:Newest
"""
PRIVATE = replace(thought("secret", "my password"), is_private=True)
ROWS = (thought("1", "Rain."), thought("2", "Sun."), observation("1", "Rain."), PRIVATE)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "newest_rows.py").write_text(NEWEST, encoding="utf-8")
    facts = tmp_path / "newest_rows-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: newest-rows\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    yield tmp_path
    sys.modules.pop("newest_rows", None)


def service() -> Retrieve:
    return retrieve_over(Rows.of(*ROWS), BelievingIndex(hits=()), OneVector())


def by(provider: str) -> RetrieveParams:
    return RetrieveParams(query="anything", provider=provider)


@pytest.mark.requirement("s4:provider:custom", "promise:6", "promise:9")
@pytest.mark.usefixtures("installed")
async def test_it_is_searched_with_by_name_and_shows_its_own_scores() -> None:
    selection = await service()(by("newest"))
    assert [(one.id, one.score) for one in selection.snippets] == [("o:1", 0.5), ("t:2", 0.5)]
    assert selection.snippets[0].also_in == ("t:1",)
    facts = selection.diagnostics
    assert (facts.retrieval_provider, facts.provider, facts.floor_used) == ("newest", "none", 0.0)
    assert (facts.kg_candidates, facts.thought_candidates) == (1, 2)


@pytest.mark.requirement("promise:6")
@pytest.mark.usefixtures("installed")
async def test_what_it_leaks_is_shown_in_no_form() -> None:
    assert "secret" not in str(render_explain(await service()(replace(by("newest"), explain=True))))
    assert len((await service()(replace(by("newest"), explain=True))).snippets) > 0


@pytest.mark.requirement("s4:provider:custom")
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["broken", "missing", "misnamed", "nothing"])
async def test_one_that_cannot_be_loaded_is_named_with_its_package_and_nothing_of_what_it_said(name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        await service()(by(name))
    assert f"the retrieval provider {name} of the package newest-rows" in caught.value.message
    assert "memory text" not in caught.value.message


async def test_an_unknown_one_is_answered_with_those_there_are() -> None:
    with pytest.raises(InvalidParams, match="local-vector, local-hybrid, local-fts"):
        await service()(by("grok"))


@pytest.mark.requirement("ruling:E.10", "s3:performance:timeout")
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("query", "is_partial", "found"), [("slowly", True, 0), ("in part", True, 2), ("at once", False, 2)]
)
async def test_who_does_not_answer_in_time_is_not_waited_for_and_that_is_flagged(
    query: str,
    is_partial: bool,  # noqa: FBT001 - a case
    found: int,
) -> None:
    """The slow one would never answer; a whole answer is not flagged however short the time was."""
    within = service()
    told = await within(replace(by("slow"), query=query), until_ms=within.clock.monotonic_ms() + 200)
    assert (told.diagnostics.partial, len(told.snippets)) == (is_partial, found)
    assert (OUT_OF_TIME in told.diagnostics.warnings) is is_partial
