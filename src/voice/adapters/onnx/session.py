"""Run a small ONNX model on one thread: its session, its rewritten graph, its word pieces.

Law: nothing is imported or loaded before a model is opened; one thread, because two on a busy machine are slower
(measured) and one gives the same bits every time. What goes wrong is the caller's to say: the vendor's errors share no
base and may quote their input. The builds that the runtime's maker releases note on which machine it runs, under the
person's cache directory, and send that to its maker: nothing of it may begin here (promise 6).

A model that looks its word pieces up before it turns them into floats, not after. The numbers stay the same, bit for
bit: `Gather(Mul(Cast(rows), scales), ids)` works on each row by itself, so the gathering may come first. As the file
has it, the runtime turns all 30,522 rows into floats when it opens the model, of which a text needs some dozen: 85 MB
and 70 ms of every process (measured).

Only names are exchanged, in the bare encoding of protobuf: a model holds its graph, a graph its steps, a step the names
of what it takes and returns.

Text to word-piece ids, as bert-base-uncased does it. The same ids as the model was trained with, for every text
(checked against the reference tokenizer in the tests). Steps: drop control characters, set CJK ideographs apart, strip
accents, lower the case, split at spaces and around punctuation, then take the longest known piece again and again. Only
as much of a text is read as the model can see.

Source: DESIGN 5; promises 6, 8 and 10; DESIGN 11 (start-up is budgeted); ONNX IR, `ModelProto`; DESIGN 5 (a WordPiece
of our own over the model's vocabulary); the vocabulary's origin is in `data/NOTICE`.
"""

import importlib
import os
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from typing import Final, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from voice.core.text.lazy import late_pattern

MAX_READ_CHARS: Final = 20_000
"""No model here sees more than 256 pieces; what comes after this many characters cannot be among them."""
_MAX_WORD_CHARS: Final = 100
_CACHED_WORDS: Final = 1 << 15

_DROPPED = late_pattern(r"(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]")
_IDEOGRAPH = late_pattern(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf"
    "\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
_ACCENT = late_pattern(r"\p{Mn}+")
_WORD = late_pattern(r"[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+")


class WordPiece:
    """A tokenizer over one vocabulary; a piece's id is its line number."""

    def __init__(self, vocabulary: list[str]) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._first, self._last, self._unknown = (self._ids[piece] for piece in ("[CLS]", "[SEP]", "[UNK]"))
        self._pieces_of = lru_cache(_CACHED_WORDS)(self._split_word)

    def encode(self, text: str, max_pieces: int) -> list[int]:
        """Return at most `max_pieces` ids of `text`, the first and last being `[CLS]` and `[SEP]`."""
        pieces = chain.from_iterable(map(self._pieces_of, words(text[:MAX_READ_CHARS])))
        return [self._first, *islice(pieces, max_pieces - 2), self._last]

    def encode_pair(self, first: str, second: str, max_pieces: int) -> tuple[list[int], list[int]]:
        """Return at most `max_pieces` ids of two texts, and for each id which of the two it is of (0 or 1).

        The first is kept whole up to a half of `max_pieces`; the second is cut.
        """
        head = self.encode(first, max_pieces // 2)
        pieces = chain.from_iterable(map(self._pieces_of, words(second[:MAX_READ_CHARS])))
        tail = [*islice(pieces, max_pieces - len(head) - 1), self._last]
        return head + tail, [0] * len(head) + [1] * len(tail)

    def _split_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _MAX_WORD_CHARS:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            found = self._longest_piece(word, start)
            if found is None:
                return (self._unknown,)
            piece, start = found
            pieces.append(piece)
        return tuple(pieces)

    def _longest_piece(self, word: str, start: int) -> tuple[int, int] | None:
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = self._ids.get(prefix + word[start:end])
            if piece is not None:
                return piece, end
        return None


def words(text: str) -> Iterator[str]:
    """Yield the words and single punctuation marks of `text`, lowered and without accents."""
    if not text.isascii():
        text = _IDEOGRAPH.sub(r" \g<0> ", _DROPPED.sub("", text))
        text = _ACCENT.sub("", unicodedata.normalize("NFD", text))
    elif not text.isprintable():
        text = _DROPPED.sub("", text)
    # A sigma at the end of a word has a small letter of its own, which the reference tokenizer does not use.
    return (match.group() for match in _WORD.finditer(text.replace("Σ", "σ").lower()))


_UNTOLD = "ORT_DISABLE_TELEMETRY"
"""Read by the runtime once, while it is imported; the call that switches it off later comes after its first event."""


Rewriting = Literal["none", "constants", "all"]
"""What the runtime may do to a model first: nothing; once what is the same in every run; all that it knows of.

Nothing opens soonest and takes the least memory. With constants alone the numbers stay the same, bit for bit: to lay
the weights out anew would be a tenth faster and changes the order of the sums (measured).
"""
_AS_LAID_OUT: Final = "session.disable_prepacking"


class Session(Protocol):
    """The part of an onnxruntime session that is used here."""

    def run(self, outputs: list[str] | None, inputs: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """Return the named outputs, or all of them."""
        ...


def open_session(model: bytes | Path, *, rewriting: Rewriting = "all") -> Session:
    """Return a session over a model, on one thread of this machine's processor.

    Args:
        model: the bytes of its file, or the file, whose bytes are then not held twice.
        rewriting: what the runtime may do to the model first.

    Its runtime is told to report nothing, for the whole process and whatever the environment says.

    Raises:
        Exception: whatever the vendor raises on a file it cannot use; its text may quote the file.
    """
    os.environ[_UNTOLD] = "1"
    onnxruntime = importlib.import_module("onnxruntime")
    onnxruntime.disable_telemetry_events()  # a program around us may have imported it before
    given = str(model) if isinstance(model, Path) else model
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Runs are of many lengths, and either keeps room for each.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    levels = onnxruntime.GraphOptimizationLevel
    if rewriting == "none":
        options.graph_optimization_level = levels.ORT_DISABLE_ALL
    elif rewriting == "constants":
        options.graph_optimization_level = levels.ORT_ENABLE_BASIC
        options.add_session_config_entry(_AS_LAID_OUT, "1")
    return cast("Session", onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"]))


@cache
def load_wordpiece() -> WordPiece:
    """Return the tokenizer over the vocabulary that this program ships."""
    vocabulary = (files("voice.adapters.onnx") / "data" / "vocab.txt").read_text("utf-8")
    return WordPiece(vocabulary.splitlines())


_GRAPH: Final = 7
_STEP: Final = 1
_INPUT, _OUTPUT, _NAME = 1, 2, 3
_LENGTHS: Final = {1: 8, 5: 4}
_SIZED: Final = 2
_MORE: Final = 0x80
_Bytes = bytes | memoryview


def move_gather_first(model: bytes, table: str) -> bytes:
    """Return the model with the rows of a table gathered before they are cast and scaled.

    Args:
        model: the bytes of a model file.
        table: the name of the table, made of the rows `{table}_q` and of one scale for each, `{table}_scale`.

    Raises:
        ValueError: no such table is made and gathered from.
    """
    parts: list[_Bytes] = []
    for number, body, raw in _members(memoryview(model)):
        parts += _sized(_GRAPH, _reordered(body, table)) if number == _GRAPH else [raw]
    return b"".join(parts)


def _reordered(graph: memoryview, table: str) -> list[_Bytes]:
    rows, scales, floats = f"{table}_q", f"{table}_scale", f"{table}_f"
    parts: list[_Bytes] = []
    steps: dict[str, memoryview] = {}
    for number, body, raw in _members(graph):
        role = _role(body, table, floats) if number == _STEP else None
        if role is None:
            parts.append(raw)
        else:
            steps[role] = body
    if len(steps) != len(("cast", "scale", "gather")):
        raise ValueError(f"the model does not gather from {table}")
    [found] = _names(steps["gather"], _OUTPUT)
    for body, names in (
        (steps["gather"], {table: rows, found: f"{rows}_found"}),
        (steps["gather"], {table: scales, found: f"{scales}_found"}),
        (steps["cast"], {rows: f"{rows}_found"}),
        (steps["scale"], {scales: f"{scales}_found", table: found}),
    ):
        parts += _sized(_STEP, _renamed(body, names))
    return parts


def _role(step: memoryview, table: str, floats: str) -> str | None:
    """Return which of the three steps it is."""
    if _names(step, _OUTPUT) == [floats]:
        return "cast"
    if _names(step, _OUTPUT) == [table]:
        return "scale"
    return "gather" if table in _names(step, _INPUT) else None


def _names(step: memoryview, wanted: int) -> list[str]:
    return [str(body, "utf-8") for number, body, _ in _members(step) if number == wanted]


def _renamed(step: memoryview, names: Mapping[str, str]) -> list[_Bytes]:
    """Return the step with other names; its own name, which only reports use, goes."""
    parts: list[_Bytes] = []
    for number, body, raw in _members(step):
        if number in (_INPUT, _OUTPUT):
            name = str(body, "utf-8")
            parts += _sized(number, [names.get(name, name).encode()])
        elif number != _NAME:
            parts.append(raw)
    return parts


def _members(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Yield each member of a message: its number, what it holds, and the bytes of both."""
    at = 0
    while at < len(message):
        begun = at
        key, at = _varint(message, at)
        kind = key & 7
        length = _LENGTHS.get(kind, 0)
        if kind == _SIZED:
            length, at = _varint(message, at)
        elif not length:
            _, at = _varint(message, at)
        yield key >> 3, message[at : at + length], message[begun : at + length]
        at += length


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Return the number that begins there, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= byte % _MORE << shift
        at, shift = at + 1, shift + 7
        if byte < _MORE:
            return value, at


def _sized(number: int, parts: list[_Bytes]) -> list[_Bytes]:
    """Return the parts as one member of that number."""
    length = sum(map(len, parts))
    return [_encoded(number << 3 | _SIZED), _encoded(length), *parts]


def _encoded(value: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first."""
    groups = bytearray()
    while value >= _MORE:
        groups.append(value % _MORE | _MORE)
        value //= _MORE
    return bytes([*groups, value])
