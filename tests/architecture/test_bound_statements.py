"""Nothing a caller says becomes part of a statement: read from the source, and watched on a real engine."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from store_values import (
    NOON,
    citation,
    entity,
    exchange,
    observation,
    relation,
    session,
    span_of,
    thought,
    tombstone,
    vector,
)
from voice.adapters.surreal.backup import SurrealMaintenance
from voice.adapters.surreal.connection import Connection, Params
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.schema import migrate, shipped
from voice.adapters.surreal.stores.lookups import SurrealGraphStore, SurrealLedgerStore
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.adapters.surreal.stores.sessions import SurrealMetricsStore, SurrealSessionStore
from voice.adapters.surreal.writer import Writer
from voice.core.session.lifecycle import append
from voice.ports.stores import ImportKey, WriteBatch

_STORE = Path(__file__).resolve().parents[2] / "src" / "voice" / "adapters" / "surreal"
_WORDS = (
    "SELECT", "UPDATE", "UPSERT", "CREATE", "DELETE", "INSERT", "DEFINE", "LET ", "WHERE", "FROM", "RETURN",
    "ORDER BY",
)  # fmt: skip
_MAY_BE_INTERPOLATED: Mapping[str, str] = {
    "table": "a name from the closed set of our tables",
    "', '.join(LISTED)": "columns of ours",
    "' AND '.join(conditions)": "conditions that are literals, see below",
    "where": "such conditions, or none",
    "_NEWEST_CAPSULES": "a constant",
    "_NEWEST_THOUGHTS": "a constant",
    "_LIST": "a constant",
    "_SCOPED": "a constant",
    "BEHIND": "a constant",
    "FOUND": "a constant",
    "_LIST_ORDER": "a constant",
    "' '.join(steps)": "the steps of a block, each a statement that this file reads, too",
    "source": "a table of ours and a literal condition",
    "at": "the number of such a source",
    "result": "what a block returns, a constant",
}
_CLOSED = {
    *("Table", "GRAPH_TABLES", "CANDIDATE_TABLES", "_FILLED", "TABLES"),
    *("written", "_per_table(encoded, decided)", "_tables(wanted)"),
}
"""What `table` runs over: enumerations and constants, or the keys that were made from them."""


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(_STORE.rglob("*.py")):
        yield path.name, ast.parse(path.read_text(encoding="utf-8"))


def _is_statement(text: ast.JoinedStr) -> bool:
    said = "".join(part.value for part in text.values if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return any(word in said for word in _WORDS) or not said.strip(" {}")


def _statements() -> Iterator[tuple[str, ast.JoinedStr]]:
    for name, module in _modules():
        for node in ast.walk(module):
            if isinstance(node, ast.JoinedStr) and _is_statement(node):
                yield f"{name}:{node.lineno}", node


@pytest.mark.requirement("s3:rule:2", "s3:not:concatenate")
def test_only_known_names_are_put_into_a_statement() -> None:
    found = [
        f"{place}: {{{ast.unparse(part.value)}}}"
        for place, text in _statements()
        for part in text.values
        if isinstance(part, ast.FormattedValue) and ast.unparse(part.value) not in _MAY_BE_INTERPOLATED
    ]
    assert found == []
    assert sum(1 for _ in _statements()) > 8


@pytest.mark.requirement("s3:rule:2")
def test_a_table_in_a_statement_comes_from_a_closed_set() -> None:
    sources = {source for _, module in _modules() for source in _sources_of_tables(module)}
    literal = {source for source in sources if source.startswith("('")}
    assert sources - literal <= _CLOSED
    assert len(sources) > 4


def _sources_of_tables(module: ast.Module) -> Iterator[str]:
    """Yield what the loops run over that put their `table` into a statement."""
    for loop in ast.walk(module):
        if not isinstance(loop, ast.For | ast.GeneratorExp | ast.DictComp | ast.ListComp):
            continue
        fills = (text for text in ast.walk(loop) if isinstance(text, ast.JoinedStr) and _is_statement(text))
        if any("table" in _names(text) for text in fills):
            heads = [loop] if isinstance(loop, ast.For) else loop.generators
            yield from (ast.unparse(head.iter) for head in heads if "table" in _names(head.target))


def _names(within: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(within) if isinstance(node, ast.Name)}


@pytest.mark.requirement("s3:rule:2", "s3:not:concatenate")
def test_a_condition_is_a_literal() -> None:
    lists = [
        node.value
        for _, module in _modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["conditions"]
    ]
    assert lists
    assert [ast.unparse(each) for given in lists for each in _members(given) if not _is_literal(each)] == []


def _members(given: ast.expr) -> Iterator[ast.expr]:
    """Yield what a list can hold, `*(["…"] if … else [])` looked into."""
    for each in given.elts if isinstance(given, ast.List) else [given]:
        if isinstance(each, ast.Starred) and isinstance(each.value, ast.IfExp):
            yield from _members(each.value.body)
            yield from _members(each.value.orelse)
        else:
            yield each


def _is_literal(each: ast.expr) -> bool:
    return isinstance(each, ast.Constant) or (isinstance(each, ast.Name) and each.id.isupper()) or _binds(each)


def _binds(each: ast.expr) -> bool:
    """Return whether a condition is a column held against the parameter of its name."""
    return ast.unparse(each) == "[f'{column} = ${column}' for column in named]"


@pytest.mark.requirement("s3:not:concatenate")
def test_no_text_is_filled_in_by_percent_or_format() -> None:
    found = [f"{name}:{line}" for name, module in _modules() for line in _filled_in(module)]
    assert found == []
    assert list(_filled_in(ast.parse("'a %s' % b\n'a {}'.format(b)\nf'{b}'"))) == [1, 2]


def _filled_in(module: ast.Module) -> Iterator[int]:
    for node in ast.walk(module):
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant | ast.Name):
                yield node.lineno
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"format", "format_map"}:
            yield node.lineno


class Listening:
    """A connection that writes down every statement it is given."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.texts: list[str] = []

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        self.texts.append(text)
        return await self._connection.run(purpose, text, params)

    async def aclose(self) -> None:
        await self._connection.aclose()


async def statements_with(word: str, path: Path) -> list[str]:
    """Do everything a store can do, with `word` wherever a caller may say something, and return the statements."""
    heard = Listening(await EmbeddedConnection.open("mem://", namespace="test", database="test"))
    await migrate(heard, shipped())
    heard.texts.clear()
    writer = Writer(heard)
    memory, ledger, graph = SurrealMemoryStore(heard, writer), SurrealLedgerStore(heard), SurrealGraphStore(heard)
    rows = (
        thought(word, word, tags=(word,), source_ref=word, kind=word, speaker=word, thread=word),
        entity(word, word, aliases=(word,), description=word, entity_type=word),
        observation(word, word, entity_ids=(f"e:{word}",), provenance=span_of(f"t:{word}")),
        replace(relation(word, f"e:{word}", f"e:{word}"), rel_type=word, description=word),
    )
    await memory.write(WriteBatch(rows=rows, vectors=tuple(replace(vector(row.id), model=word) for row in rows)))
    await memory.write(WriteBatch(rows=(replace(rows[0], revision=2),), tombstones=(tombstone(f"o:{word}", word),)))
    await memory.fetch([row.id for row in rows])
    await memory.changes(0, 10)
    await memory.status()
    await ledger.known_imports([ImportKey(source_ref=word, content_hash=word)])
    await ledger.pending_embeddings(5)
    await ledger.foreign_embeddings((word, 4), after=f"t:{word}", limit=5)
    await ledger.tombstoned([word])
    await ledger.buried([f"o:{word}"])
    await ledger.tombstones()
    await graph.names()
    await graph.observations_of([f"e:{word}"])
    await graph.relations_of([f"e:{word}"])
    await graph.derived_from([f"t:{word}"])
    sessions = SurrealSessionStore(heard, writer)
    turn = exchange(f"s:{word}", my_query=word, answer=word, sources=(replace(citation(), span=word),))
    saved = await sessions.save(append(session(f"s:{word}", thread_topic=word), turn), [turn], expected=0)
    await sessions.load(saved.id, window=3)
    await sessions.sessions(limit=3, status="open")
    listed = await sessions.exchanges(session_id=saved.id, limit=3)
    assert len(listed) == len([page async for page in sessions.figures(since=NOON)])
    await (metrics := SurrealMetricsStore(heard)).record(word, NOON, {word: word})
    assert await metrics.count(word) == 1
    maintenance = SurrealMaintenance(heard, writer)
    assert await maintenance.verify() == []
    await maintenance.backup(str(path))
    await heard.aclose()
    return heard.texts


@pytest.mark.requirement("s3:rule:2", "s3:not:concatenate")
async def test_the_statements_are_the_same_whatever_is_said(tmp_path: Path) -> None:
    hostile = "zq'; DELETE thoughts; --` $meta ⟩"
    plain = await statements_with("zqplain", tmp_path / "one")
    assert plain == await statements_with(hostile, tmp_path / "other")
    assert len(plain) > 25
    assert not [text for text in plain if "zq" in text]
