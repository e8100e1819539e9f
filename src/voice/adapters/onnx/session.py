"""Running a small ONNX model on one thread: its session, its rewritten graph, its word pieces.

Law: nothing is imported or loaded before a model is opened; one thread, because two on a busy machine are slower
(measured) and one gives the same bits every time. The caller reports errors: the vendor's share no base and may quote
their input. The runtime's released builds record the machine in the person's cache directory and send that to their
maker, so that is switched off before it starts (promise 6).

The rewritten graph looks word pieces up before it converts them to floats, with the same numbers bit for bit:
`Gather(Mul(Cast(rows), scales), ids)` works on each row by itself. In the file's order the runtime would convert all
30,522 rows when it opens the model, of which a text needs some dozen: 85 MB and 70 ms in every process (measured). Only
names are exchanged, in the encoding of protobuf: a model contains its graph, a graph its nodes, a node the names of its
inputs and outputs.

Text becomes word-piece ids as in bert-base-uncased, the same ids that the model was trained with (the tests compare
with the reference tokenizer): drop control characters, separate CJK ideographs, strip accents, lower the case, split at
spaces and around punctuation, then take the longest known piece repeatedly. Only as much of a text is read as the model
can see.

Source: DESIGN 5 (a WordPiece of our own over the model's vocabulary); promises 6, 8 and 10; DESIGN 11 (start-up is
budgeted); ONNX IR, `ModelProto`; the vocabulary's origin is in `data/NOTICE`.
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
"""No model here sees more than 256 pieces, which never reach beyond this many characters."""
_MAX_WORD_CHARS: Final = 100  # a longer word is unknown, as in the reference
_CACHED_WORDS: Final = 1 << 15

_DROPPED = late_pattern(r"(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]")  # not tab and line ends, which are spaces
_IDEOGRAPH = late_pattern(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf"
    "\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
_ACCENT = late_pattern(r"\p{Mn}+")  # what NFD takes apart
_WORD = late_pattern(r"[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+")  # one punctuation mark, or a word


class WordPiece:
    """A tokenizer over one vocabulary; a piece's id is its line number."""

    def __init__(self, vocabulary: list[str]) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._first, self._last, self._unknown = (self._ids[piece] for piece in ("[CLS]", "[SEP]", "[UNK]"))
        self._pieces_of = lru_cache(_CACHED_WORDS)(self._split_word)

    def encode(self, text: str, max_pieces: int) -> list[int]:
        """Return at most `max_pieces` ids of `text`, the first and last being `[CLS]` and `[SEP]`."""
        pieces = chain.from_iterable(map(self._pieces_of, words(text[:MAX_READ_CHARS])))
        return [self._first, *islice(pieces, max_pieces - 2), self._last]  # room for the two marks

    def encode_pair(self, first: str, second: str, max_pieces: int) -> tuple[list[int], list[int]]:
        """Return at most `max_pieces` ids of two texts, and the number of its text (0 or 1) for each id."""
        head = self.encode(first, max_pieces // 2)  # so that a long question leaves room for a passage
        pieces = chain.from_iterable(map(self._pieces_of, words(second[:MAX_READ_CHARS])))
        tail = [*islice(pieces, max_pieces - len(head) - 1), self._last]
        return head + tail, [0] * len(head) + [1] * len(tail)

    def _split_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _MAX_WORD_CHARS:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            found = self._longest_piece(word, start)  # greedy, as in the reference
            if found is None:
                return (self._unknown,)
            piece, start = found
            pieces.append(piece)
        return tuple(pieces)

    def _longest_piece(self, word: str, start: int) -> tuple[int, int] | None:
        prefix = "##" if start else ""  # not at a word's start
        for end in range(len(word), start, -1):
            piece = self._ids.get(prefix + word[start:end])
            if piece is not None:
                return piece, end
        return None


def words(text: str) -> Iterator[str]:
    """Yield the words and single punctuation marks of `text`, in lower case without accents."""
    if not text.isascii():
        text = _IDEOGRAPH.sub(r" \g<0> ", _DROPPED.sub("", text))
        text = _ACCENT.sub("", unicodedata.normalize("NFD", text))
    elif not text.isprintable():
        text = _DROPPED.sub("", text)
    # Python lowers a sigma at the end of a word to another letter, which the reference tokenizer does not.
    return (match.group() for match in _WORD.finditer(text.replace("Σ", "σ").lower()))


# Read by the runtime once, at its import; the call that disables telemetry comes after the first event.
_NO_TELEMETRY: Final = "ORT_DISABLE_TELEMETRY"


Rewriting = Literal["none", "constants", "all"]
"""What the runtime may do to a model when it opens it: nothing, fold constants, or all that it can.

Nothing is the quickest to open and takes the least memory. With constants the numbers stay the same bit for bit; a new
layout of the weights would be a tenth faster and change the order of sums (measured).
"""
_KEEP_LAYOUT: Final = "session.disable_prepacking"


class Session(Protocol):
    """The used part of an onnxruntime session."""

    def run(
        self, outputs: list[str] | None, inputs: Mapping[str, NDArray[np.int64] | NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Return the named outputs, or all of them."""
        ...


def open_session(model: bytes | Path, *, rewriting: Rewriting = "all") -> Session:
    """Return a session over a model, on one thread of this machine's processor. A file is not held in memory twice, as
    its content would be. The runtime is told to report nothing, for the whole process, whatever the environment says.
    Raises the vendor's error for an unusable file; its text may quote the file."""
    os.environ[_NO_TELEMETRY] = "1"
    onnxruntime = importlib.import_module("onnxruntime")
    onnxruntime.disable_telemetry_events()  # a surrounding program may have imported it before
    source = str(model) if isinstance(model, Path) else model
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Runs have many lengths, and both would keep memory for each.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    levels = onnxruntime.GraphOptimizationLevel
    if rewriting == "none":
        options.graph_optimization_level = levels.ORT_DISABLE_ALL
    elif rewriting == "constants":
        options.graph_optimization_level = levels.ORT_ENABLE_BASIC
        options.add_session_config_entry(_KEEP_LAYOUT, "1")
    return cast("Session", onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"]))


@cache
def load_wordpiece() -> WordPiece:
    """Return the tokenizer over the packaged vocabulary."""
    vocabulary = (files("voice.adapters.onnx") / "data" / "vocab.txt").read_text("utf-8")
    return WordPiece(vocabulary.splitlines())


_GRAPH: Final = 7  # numbers of protobuf members, see above
_NODE: Final = 1
_GRAPH_OUTPUT: Final = 12
_OUTPUT_NAME: Final = 1
_INPUT, _OUTPUT, _NAME = 1, 2, 3
_LENGTHS: Final = {1: 8, 5: 4}  # bytes by kind: 64 and 32 bits
_SIZED: Final = 2  # kind whose length is stated
_MORE: Final = 0x80  # another byte follows
_Bytes = bytes | memoryview


def added_output(name: str) -> bytes:
    """Return what a model's file ends with for a run to return what its graph calls `name`, too. Protobuf joins two
    parts of one message: the graph gains an output."""
    output = _member(_GRAPH_OUTPUT, _member(_OUTPUT_NAME, [name.encode()]))
    return b"".join(_member(_GRAPH, output))


def move_gather_first(model: bytes, table: str) -> bytes:
    """Return the model with the rows of `table`, made of `{table}_q` and a scale for each, `{table}_scale`, gathered
    before they are cast and scaled. Raises ValueError: the model has no such table, or does not gather from it."""
    parts: list[_Bytes] = []
    for number, body, raw in _members(memoryview(model)):
        parts += _member(_GRAPH, _reordered(body, table)) if number == _GRAPH else [raw]
    return b"".join(parts)


def _reordered(graph: memoryview, table: str) -> list[_Bytes]:
    rows, scales, floats = f"{table}_q", f"{table}_scale", f"{table}_f"
    parts: list[_Bytes] = []
    nodes: dict[str, memoryview] = {}
    for number, body, raw in _members(graph):
        role = _role(body, table, floats) if number == _NODE else None
        if role is None:
            parts.append(raw)
        else:
            nodes[role] = body
    if len(nodes) != len(("cast", "scale", "gather")):
        raise ValueError(f"the model does not gather from {table}")
    [found] = _names(nodes["gather"], _OUTPUT)
    # The order of the runtime: a node comes after those whose outputs it takes.
    for body, names in (
        (nodes["gather"], {table: rows, found: f"{rows}_found"}),
        (nodes["gather"], {table: scales, found: f"{scales}_found"}),
        (nodes["cast"], {rows: f"{rows}_found"}),
        (nodes["scale"], {scales: f"{scales}_found", table: found}),
    ):
        parts += _member(_NODE, _renamed(body, names))
    return parts


def _role(node: memoryview, table: str, floats: str) -> str | None:
    if _names(node, _OUTPUT) == [floats]:
        return "cast"
    if _names(node, _OUTPUT) == [table]:
        return "scale"
    return "gather" if table in _names(node, _INPUT) else None


def _names(node: memoryview, wanted: int) -> list[str]:
    return [str(body, "utf-8") for number, body, _ in _members(node) if number == wanted]


def _renamed(node: memoryview, names: Mapping[str, str]) -> list[_Bytes]:
    """Return a node with other names, without its own, which only reports use."""
    parts: list[_Bytes] = []
    for number, body, raw in _members(node):
        if number in (_INPUT, _OUTPUT):
            name = str(body, "utf-8")
            parts += _member(number, [names.get(name, name).encode()])
        elif number != _NAME:
            parts.append(raw)
    return parts


def _members(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Yield each member of a message: its number, its content, and the bytes of both."""
    at = 0
    while at < len(message):
        start = at
        key, at = _varint(message, at)
        kind = key & 7  # the rest is the member's number
        length = _LENGTHS.get(kind, 0)
        if kind == _SIZED:
            length, at = _varint(message, at)
        elif not length:
            _, at = _varint(message, at)
        yield key >> 3, message[at : at + length], message[start : at + length]
        at += length


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Return the number that begins at `at`, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= byte % _MORE << shift
        at, shift = at + 1, shift + 7
        if byte < _MORE:
            return value, at


def _member(number: int, parts: list[_Bytes]) -> list[_Bytes]:
    length = sum(map(len, parts))
    return [_encoded(number << 3 | _SIZED), _encoded(length), *parts]


def _encoded(value: int) -> bytes:
    """Return a number as groups of seven bits, the lowest first."""
    groups = bytearray()
    while value >= _MORE:
        groups.append(value % _MORE | _MORE)
        value //= _MORE
    return bytes([*groups, value])
