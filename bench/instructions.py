"""Which memories read like instructions to the model: `python -m bench.instructions [--data FILE …] [--json]`.

Runs the rule over the hand-written set (`bench/data/instructions.jsonl`: orders to a model in 26 languages, and notes
that only look like one), each by its part: `tune`, which the lists were mended and the weights fitted on, and `held`,
whole languages and whole shapes that they were not. Then over the same orders in code and cut in two, and over the
items of `memory-bench/1` files, alone and in twos, where hardly any should be flagged.
"""

import argparse
import base64
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import TypedDict, cast
from urllib.parse import quote

from bench.corpus import read_corpora
from bench.report import share, table
from voice.core.errors import VoiceError
from voice.core.text.normalise import rot13
from voice.core.text.prompt_injection import find_instruction, split_instructions

OWN = Path(__file__).parent / "data" / "instructions.jsonl"
ENGLISH = frozenset({"en", "mixed"})
CODES: Mapping[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "character references": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "percent-encoding": lambda text: quote(text, safe=""),
    "escapes": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "hexadecimal": lambda text: text.encode().hex(),
}


class Share(TypedDict):
    """How many texts were looked at, how many of them flagged."""

    n: int
    flagged: int
    share: float


class Labelled(TypedDict):
    """One line of the hand-written set."""

    text: str
    instruction: bool
    language: str
    shape: str
    part: str


def labelled() -> list[Labelled]:
    """Return the hand-written set."""
    return [cast("Labelled", json.loads(line)) for line in OWN.read_text(encoding="utf-8").splitlines()]


def flagged(texts: Sequence[str]) -> Share:
    """Return how many of `texts` read like instructions."""
    return _share(sum(find_instruction(text) is not None for text in texts), len(texts))


def split(pairs: Sequence[tuple[str, str]]) -> Share:
    """Return how many of `pairs` hold an order in either or spread over both."""
    return _share(sum(bool(split_instructions(pair)) or any(map(find_instruction, pair)) for pair in pairs), len(pairs))


def halves(text: str) -> tuple[str, str]:
    """Return `text` cut in two behind a word in its first half, or behind a character where it has no spaces."""
    words = text.split(" ")
    if len(words) < 4:
        return text[: len(text) // 3], text[len(text) // 3 :]
    return " ".join(words[: len(words) // 3 + 1]), " ".join(words[len(words) // 3 + 1 :])


def own(rows: Sequence[Labelled]) -> Iterator[tuple[str, Share]]:
    """Yield the figures of the hand-written set."""
    for part in ("tune", "held"):
        orders = [one for one in rows if one["instruction"] and one["part"] == part]
        yield f"orders ({part})", flagged([one["text"] for one in orders])
        yield (
            f"near misses ({part})",
            flagged([one["text"] for one in rows if not one["instruction"] and one["part"] == part]),
        )
        found = [one for one in orders if find_instruction(one["text"])]
        for name, encode in CODES.items():
            yield f"found orders in {name} ({part})", flagged([encode(one["text"]) for one in found])
        yield (
            f"found English orders in rot13 ({part})",
            flagged([rot13(one["text"]) for one in found if one["language"] in ENGLISH]),
        )
        yield f"found orders cut in two ({part})", split([halves(one["text"]) for one in found])


def by(rows: Sequence[Labelled], trait: str) -> Iterator[tuple[str, Share]]:
    """Yield the share of orders that is found for each language or shape."""
    orders = [(cast("Mapping[str, str]", one)[trait], one["text"]) for one in rows if one["instruction"]]
    for name in sorted({each for each, _ in orders}):
        yield f"{trait} {name}", flagged([text for each, text in orders if each == name])


def ordinary(name: str, texts: Sequence[str]) -> Iterator[tuple[str, Share]]:
    """Yield how many ordinary rows are flagged, and how many of them beside the next; say what a row costs."""
    find_instruction.cache_clear()
    begun = process_time()
    yield name, flagged(texts)
    spent = process_time() - begun
    print(f"{name}: {spent / max(1, len(texts)) * 1e6:.0f} µs of CPU a row", file=sys.stderr)
    yield f"{name}, in twos", split([pair for pair in pairwise(texts) if not any(map(find_instruction, pair))])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.instructions", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[], help="a memory-bench/1 file")
    parser.add_argument("--each", action="store_true", help="each language and each shape, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    rows = labelled()
    result = dict(own(rows))
    if options.each:
        result |= dict(by(rows, "language")) | dict(by(rows, "shape"))
    try:
        for path in options.data:
            result |= dict(ordinary(path.stem, [row.content for corpus in read_corpora(path) for row in corpus.rows]))
    except VoiceError as error:
        print(f"bench.instructions: {error}", file=sys.stderr)
        return error.exit_code
    shown = [
        [name, str(one["n"]), str(one["flagged"]), share(one["share"], of=one["n"], digits=4)]
        for name, one in result.items()
    ]
    print(json.dumps(result, indent=1) if options.json else table(["texts", "n", "flagged", "share"], shown))
    return 0


def _share(found: int, n: int) -> Share:
    return Share(n=n, flagged=found, share=round(found / n, 5) if n else 0.0)


if __name__ == "__main__":
    sys.exit(main())
