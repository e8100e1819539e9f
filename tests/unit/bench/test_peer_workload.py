"""Everybody is given the same rows and asked the same questions, run after run."""

import sqlite3
from collections import Counter

from bench.peers.adapters.sqlite_fts5 import any_of
from bench.peers.roster import ROSTER
from bench.peers.rows import invented_rows
from bench.peers.running import in_turns
from bench.peers.workload import PLANTED, SHAPES, UNPLANTED, hostile_memory, invented_memory, term_questions, terms_of
from hypothesis import given
from hypothesis import strategies as st

from voice.adapters.embedding.hashed import HashedEmbedder


def test_invented_rows_are_the_same_every_time_and_a_longer_memory_starts_like_a_shorter_one() -> None:
    assert invented_rows(50) == invented_rows(50)
    assert invented_rows(80)[:50] == invented_rows(50)


def test_invented_rows_have_terms_for_every_shape() -> None:
    texts = [row.content for row in invented_rows(1000)]
    held_by = Counter(term for text in texts for term in set(terms_of(text)))
    asked = term_questions(texts)
    rows_of = {shape: [held_by[term] for of, term in asked if of == shape] for shape in SHAPES[:3]}
    assert max(rows_of["rare"]) <= 3
    assert all(150 <= rows <= 250 for rows in rows_of["fifth"])
    assert max(rows_of["common"]) > 900


async def test_a_memory_asks_every_shape_and_has_a_vector_for_everything() -> None:
    memory = await invented_memory(200, HashedEmbedder(32))
    assert {question.shape for question in memory.questions} == set(SHAPES)
    assert {len(each.vector) for each in (*memory.items, *memory.questions)} == {4 * 32}
    assert len(memory.evidence) == len(memory.questions)


async def test_each_hostile_query_names_the_row_that_holds_it() -> None:
    memory = await hostile_memory(HashedEmbedder(32), None)
    words = {item.id: item.words for item in memory.items}
    named = {
        question.text: [words[row_id] for row_id in evidence]
        for question, evidence in zip(memory.questions, memory.evidence, strict=True)
    }
    assert named == {query: [text] for query, text in PLANTED.items()} | {text: [] for text in UNPLANTED.values()}


def test_terms_are_words_without_stop_words_unless_there_are_no_others() -> None:
    assert terms_of("What's the auth-bug in C++, and who fixed the auth?") == ("auth", "bug", "c", "fixed")
    assert terms_of("Who is it?") == ("who", "is", "it")
    assert terms_of("!!!") == ()


def test_every_repeat_starts_with_another_peer() -> None:
    order = list(in_turns(ROSTER, len(ROSTER)))
    firsts = [entry.name for place, (_, entry) in enumerate(order) if place % len(ROSTER) == 0]
    assert sorted(firsts) == sorted(entry.name for entry in ROSTER)
    assert Counter(entry.name for _, entry in order) == dict.fromkeys((entry.name for entry in ROSTER), len(ROSTER))


@given(st.text(max_size=60))
def test_free_text_asked_as_quoted_terms_never_breaks_fts5(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE memory USING fts5(text)")
    query = any_of(terms_of(text))
    if query:
        assert connection.execute("SELECT * FROM memory WHERE memory MATCH ?", (query,)).fetchall() == []
    connection.close()
