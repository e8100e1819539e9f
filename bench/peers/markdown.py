"""Tables of docs/peers.md from what `--json` printed: `python -m bench.peers.markdown FILE`.

Law: a page's figures are copied by a machine. What has no figure is a dash.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from bench.peers.workload import SHAPES

Document = Mapping[str, object]


def tables(document: Document) -> str:
    """Return keeping, asking and the hostile strings as Markdown, with the load beside them."""
    sections = (_keeping(document), _asking(document), _hostile(document))
    return "\n\n".join("\n".join(section) for section in sections)


def _keeping(document: Document) -> Iterator[str]:
    yield from _head("peer", "rows/s cpu", "×", "rows/s wall", "open ms cpu", "×", "wall", "MB held", "MB disk", "load")
    for name, peer in _each(document, "peers"):
        ratio, ingest, opened = _in(peer, "ratio"), _in(peer, "ingest_rows_per_s"), _in(peer, "open_ms")
        loads = [load for when in _in(peer, "load_1min").values() for load in cast("list[float]", when)]
        yield _line(
            name,
            _number(ingest["cpu"], 0),
            _number(ratio["ingest_rows_per_cpu_s"]),
            _number(ingest["wall"], 0),
            _number(opened["cpu"], 1),
            _number(ratio["open_cpu_ms"]),
            _number(opened["wall"], 1),
            f"{_number(peer['rss_mb'], 0)} (imports {_number(peer['rss_before_mb'], 0)})",
            _number(peer["disk_mb"], 1),
            f"{min(loads):.1f}–{max(loads):.1f}",
        )


def _asking(document: Document) -> Iterator[str]:
    yield from _head("peer", "mode", *(f"{shape} p50 / p95, ×" for shape in SHAPES), "failed", "r@5", "r@10")
    for name, peer in _each(document, "peers"):
        for mode, figures in _each(peer, "modes"):
            shapes = _in(figures, "shapes")
            failed = sum(int(cast("int", shape["errors"])) for _, shape in _each(figures, "shapes"))
            quality = cast("Mapping[str, float] | None", figures["quality"])
            recalls = [f"{100 * value:.1f}" for value in quality.values()] if quality else ["–", "–"]
            cells = [_times(cast("Document | None", shapes.get(shape))) for shape in SHAPES]
            yield _line(name, mode, *cells, str(failed), *recalls)


def _hostile(document: Document) -> Iterator[str]:
    columns = [
        (f"{name} {mode}", _in(figures, "hostile"))
        for name, peer in _each(document, "peers")
        for mode, figures in _each(peer, "modes")
    ]
    yield from _head("query", *(name for name, _ in columns))
    for query in columns[0][1] if columns else ():
        outcomes = (str(hostile[query]).partition(":")[0].removeprefix("found ") for _, hostile in columns)
        yield _line(f"`{query}`", *outcomes)


def _times(shape: Document | None) -> str:
    times = None if shape is None else cast("Mapping[str, float] | None", shape["cpu_ms"])
    if shape is None or times is None:
        return "–"
    return f"{times['p50']:.2f} / {times['p95']:.2f}, {_number(shape['ratio'])}"


def _number(value: object, places: int = 2) -> str:
    return "–" if value is None else f"{cast('float', value):,.{places}f}"


def _each(members: Document, name: str) -> Iterator[tuple[str, Document]]:
    yield from cast("Mapping[str, Document]", members[name]).items()


def _in(members: Document, name: str) -> Document:
    return cast("Document", members[name])


def _head(*names: str) -> tuple[str, str]:
    return _line(*names), f"|{'---|' * len(names)}"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main(paths: Sequence[str]) -> None:
    """Print the tables of each document."""
    for path in paths:
        print(tables(cast("Document", json.loads(Path(path).read_text("utf-8")))))


if __name__ == "__main__":
    main(sys.argv[1:])
