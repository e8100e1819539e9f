"""The document and the page of a comparison.

Law: a figure stands beside the load it was taken under and beside its ratio to this program, where 2.0 means twice as
much; a peer that is missing is named with its reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from rich.box import SIMPLE
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from bench.peers.figures import ModeFigures, PeerFigures
from bench.peers.roster import BASE, BASE_MODE
from bench.peers.workload import SHAPES
from bench.report import machine

FORMAT: Final = "peers-bench/1"
_BAR: Final = 28
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One run."""

    what: str
    """The rows: a file's name, or `invented rows`."""
    rows: int
    dim: int
    encoder: str
    repeats: int
    peers: Sequence[PeerFigures]
    missing: Mapping[str, str]
    """Reasons by peer."""

    def as_json(self) -> dict[str, object]:
        """Return the document that `--json` prints."""
        return {
            "format": FORMAT,
            "what": self.what,
            "rows": self.rows,
            "dim": self.dim,
            "encoder": self.encoder,
            "repeats": self.repeats,
            "base": {"peer": BASE, "mode": BASE_MODE},
            "machine": machine(),
            "peers": {peer.entry.name: _peer(peer, self._base()) for peer in self.peers},
            "missing": dict(self.missing),
        }

    def print(self, console: Console) -> None:
        """Print the page for people."""
        console.print(self._heading(), self._stores(), self._queries(), self._bars(), self._hostile(), sep="\n\n")
        for name, reason in self.missing.items():
            console.print(Text(f"missing: {name}: {reason}", style="yellow"))

    def _base(self) -> PeerFigures | None:
        return next((peer for peer in self.peers if peer.entry.name == BASE), None)

    def _heading(self) -> str:
        run = (
            f"{self.rows} rows ({self.what}), vectors of {self.dim} ({self.encoder}), {self.repeats} repeats, "
            f"{machine()['processors']} processors; × is the ratio to {BASE} {BASE_MODE}"
        )
        return "\n".join((run, *(f"  {_named(peer)}" for peer in self.peers)))

    def _stores(self) -> Table:
        heads = ("peer", "rows/s cpu", "×", "wall", "open ms cpu", "×", "wall", "MB held", "imports", "MB disk", "load")
        table = _table("Keeping; opening with the first answer", heads)
        base = self._base()
        for peer in self.peers:
            ratios = _store_ratios(peer, base)
            table.add_row(
                peer.entry.name,
                f"{peer.ingest_rows_per_cpu_s:,.0f}",
                _times(ratios["ingest_rows_per_cpu_s"]),
                f"{peer.ingest_rows_per_s:,.0f}",
                f"{peer.open_cpu_ms:.1f}",
                _times(ratios["open_cpu_ms"]),
                f"{peer.open_wall_ms:.1f}",
                f"{peer.rss_mb:.0f}",
                f"{peer.rss_before_mb:.0f}",
                f"{peer.disk_mb:.1f}",
                _load_span(peer),
            )
        return table

    def _queries(self) -> Table:
        heads = ["peer", "mode", *(f"{shape} p50/p95 ×" for shape in SHAPES), "errors", "r@5", "r@10"]
        table = _table("Asking, ms of processor time", heads)
        for peer in self.peers:
            for name, mode in peer.modes.items():
                table.add_row(peer.entry.name, name, *self._shape_cells(mode), *_quality_cells(mode))
        return table

    def _shape_cells(self, mode: ModeFigures) -> list[str]:
        cells: list[str] = []
        for shape in SHAPES:
            times = mode.times(shape)
            ratio = _times(_query_ratio(mode, shape, self._base()))
            cells.append(f"{times['p50']:.1f}/{times['p95']:.1f} {ratio}" if times else "–")
        return cells

    def _bars(self) -> RenderableType:
        """Return the medians of a sentence as bars, the shortest first."""
        medians = {
            f"{peer.entry.name} {name}": times["p50"]
            for peer in self.peers
            for name, mode in peer.modes.items()
            if (times := mode.times("sentence"))
        }
        longest = max(medians.values(), default=0.0)
        width = max((len(name) for name in medians), default=0)
        lines = [
            Text(f"{name:<{width}}  {bar(value, longest)} {value:.2f}")
            for name, value in sorted(medians.items(), key=lambda entry: entry[1])
        ]
        return Group(Text("A sentence, ms of processor time (p50)", style="bold"), *lines)

    def _hostile(self) -> Table:
        columns = [(peer.entry.name, name, mode) for peer in self.peers for name, mode in peer.modes.items()]
        table = _table("Strings that break parsers", ["query", *(f"{peer}\n{name}" for peer, name, _ in columns)])
        queries = columns[0][2].hostile if columns else {}
        for query in queries:
            table.add_row(Text(query), *(_shown(mode.hostile[query]) for _, _, mode in columns))
        return table


def _shown(outcome: str) -> str:
    """Return an outcome in a column's width; the document has it in full."""
    return outcome.partition(":")[0].removeprefix("found ")


def bar(value: float, longest: float) -> str:
    """Return a bar of eighths of a cell; the longest value fills the width."""
    eighths = round(8 * _BAR * value / longest) if longest else 0
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def _table(title: str, heads: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE, padding=(0, 1, 0, 0))
    for place, head in enumerate(heads):
        table.add_column(head, justify="left" if place == 0 else "right", no_wrap=True)
    return table


def _named(peer: PeerFigures) -> str:
    said = ", ".join(f"{name} {version}" for name, version in peer.versions.items())
    return f"{peer.entry.name} ({said})" if said else peer.entry.name


def _quality_cells(mode: ModeFigures) -> tuple[str, ...]:
    errors = sum(shape.errors for shape in mode.shapes.values())
    if mode.recall is None:
        return str(errors), "–", "–"
    return (str(errors), *(f"{100 * value:.1f}" for value in mode.recall.values()))


def _peer(peer: PeerFigures, base: PeerFigures | None) -> dict[str, object]:
    return {
        "versions": peer.versions,
        "asked": peer.entry.asked,
        "cannot": peer.entry.cannot,
        "ingest_rows_per_s": {"cpu": peer.ingest_rows_per_cpu_s, "wall": peer.ingest_rows_per_s},
        "import_cpu_ms": peer.import_cpu_ms,
        "open_ms": {"cpu": peer.open_cpu_ms, "wall": peer.open_wall_ms},
        "rss_mb": peer.rss_mb,
        "rss_before_mb": peer.rss_before_mb,
        "disk_mb": peer.disk_mb,
        "load_1min": {"before": [load[0] for load in peer.loads], "between": [load[1] for load in peer.loads],
                      "after": [load[2] for load in peer.loads]},
        "ratio": _store_ratios(peer, base),
        "modes": {name: _mode(mode, base) for name, mode in peer.modes.items()},
    }  # fmt: skip


def _mode(mode: ModeFigures, base: PeerFigures | None) -> dict[str, object]:
    shapes = {
        shape: {**asdict(figures), "ratio": _query_ratio(mode, shape, base)} for shape, figures in mode.shapes.items()
    }
    return {"shapes": shapes, "quality": mode.recall, "hostile": mode.hostile}


def _store_ratios(peer: PeerFigures, base: PeerFigures | None) -> dict[str, float | None]:
    names = ("ingest_rows_per_cpu_s", "open_cpu_ms", "rss_mb", "disk_mb")
    return {name: _ratio(getattr(peer, name), None if base is None else getattr(base, name)) for name in names}


def _query_ratio(mode: ModeFigures, shape: str, base: PeerFigures | None) -> float | None:
    times = mode.times(shape)
    base_times = None if base is None else base.modes[BASE_MODE].times(shape)
    return _ratio(times["p50"], base_times["p50"]) if times and base_times else None


def _ratio(value: float, base: float | None) -> float | None:
    return round(value / base, 3) if base else None


def _times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f}"


def _load_span(peer: PeerFigures) -> str:
    loads = [load for turn in peer.loads for load in turn]
    return f"{min(loads):.1f}–{max(loads):.1f}"
