"""Any string is a query: of any script and any length, whole or broken, through the whole service over real parts."""

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval_doubles import Rows, retrieve_over
from retrieval_rows import entity, observation, relation, thought
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.core.records import VectorRow
from voice.core.retrieval.values import RetrieveParams, Selection
from voice.services.retrieval.search import Retrieve

pytestmark = pytest.mark.requirement("ruling:G.2a")

EMBEDDER = HashedEmbedder(16)
ROWS = (
    thought("1", "她去了東京，喝了咖啡"),
    thought("2", "C++ and C# in login.py; the auth-bug?"),
    thought("3", "[8 May 2023] “quoted” 😀 \u0000 \u202e abc"),
    thought("4", "ฉันชอบกาแฟ و أنا أيضا, я тоже"),
    observation("5", "x" * 5_000),
    entity("ada", "Ada", "her sister"),
    entity("acme", "Acme"),
    relation("6", "ada", "works_at", "acme", "since 2024"),
)
PROVIDERS = st.sampled_from(["local-vector", "local-fts", "local-hybrid"])
SCRIPTS = st.text(st.characters(codec=None), max_size=120)
SIGNS = [*"\"'“”*?()[]{}^~:-/+#&|\\.%@=<>", " ", "AND", "OR", "NOT", "NEAR(", "C++", "auth-bug", "login.py", "8 May"]
BROKEN = ["東", "\ud800", "\udfff", "\u0000", "\u202e", "😀", "👩\u200d👩\u200d👧", "İ", "ß"]
SYNTAX = st.lists(st.sampled_from([*SIGNS, *BROKEN]), max_size=30).map("".join)
LONG = st.sampled_from(
    ["a", "日", "😀", "a-", "x y ", "'", '"', "\ud800", "8 May ", "e\u0301\u0301", "C++ ", "ก", "?"]
).map(lambda text: (text * 100_000)[:100_000])


async def _service() -> Retrieve:
    vectors = {
        row.id: VectorRow(row_id=row.id, model=EMBEDDER.model, dim=EMBEDDER.dim, data=data)
        for row, data in zip(ROWS, await EMBEDDER.embed([row.id for row in ROWS]), strict=True)
    }
    store = Rows.of(*ROWS)
    store.vectors = vectors
    return retrieve_over(store, FoldedIndex(store, None, model=EMBEDDER.model, dim=EMBEDDER.dim), EMBEDDER)


SERVICE = anyio.run(_service)


def ask(text: str, provider: str) -> Selection:
    return anyio.run(SERVICE, RetrieveParams(query=text, provider=provider, floor=0.0, min_floor=0.0))


@settings(deadline=None, max_examples=120)
@given(SCRIPTS | SYNTAX, PROVIDERS)
def test_no_query_fails_and_none_finds_what_is_not_there(text: str, provider: str) -> None:
    selection = ask(text, provider)
    assert {snippet.id for snippet in selection.snippets} <= {row.id for row in ROWS}
    assert all(snippet.score == snippet.score for snippet in selection.snippets)


@pytest.mark.slow
@settings(deadline=None, max_examples=13)
@given(LONG, PROVIDERS)
def test_a_hundred_thousand_characters_are_a_query(text: str, provider: str) -> None:
    assert ask(text, provider).diagnostics.k_ret <= len(ROWS)


@pytest.mark.parametrize(
    ("query", "found"),
    [("東", "t:1"), ("C++", "t:2"), ("auth-bug", "t:2"), ("login.py", "t:2"), ('"quoted"', "t:3"), ("😀", "t:3")],
)
def test_what_is_written_is_found_whatever_its_script(query: str, found: str) -> None:
    assert found in {snippet.id for snippet in ask(query, "local-fts").snippets}
