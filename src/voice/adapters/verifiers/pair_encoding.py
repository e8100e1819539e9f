"""A claim beside its evidence, as the cross-encoder reads them.

Law: what training read and what the adapter reads is the same value, made here. `[CLS] claim [SEP] evidence [SEP]`;
each piece carries, where BERT has its segment, which side it stands on and whether the other side holds the same piece.
So the model is told what a lexical comparison knows and is left to judge what the differences mean. The claim comes
first and is never cut for the evidence's sake.

Source: DESIGN 6 stage 5; docs/verifiers.md.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from voice.adapters.onnx.wordpiece import WordPiece

CLAIM_HELD: Final = 0
"""A piece of the claim that the evidence has too."""
EVIDENCE_ONLY: Final = 1
CLAIM_NEW: Final = 2
"""A piece of the claim that the evidence lacks."""
EVIDENCE_SHARED: Final = 3
MAX_PIECES: Final = 160
_MOST_OF_CLAIM: Final = 72


class PairIds(NamedTuple):
    """The two rows of numbers that go into the model."""

    pieces: list[int]
    marks: list[int]


def encode_pair(tokenizer: WordPiece, claim: str, evidence: Sequence[str]) -> PairIds:
    """Return the pieces and marks of a claim and the texts it is held against, at most `MAX_PIECES`."""
    first, *said, last = tokenizer.encode(claim, _MOST_OF_CLAIM)
    room = MAX_PIECES - len(said) - 1
    held = tokenizer.encode(" ".join(evidence), room)[1:-1]
    shared = set(said) & set(held)
    return PairIds(
        [first, *said, last, *held, last],
        [
            CLAIM_HELD,
            *(CLAIM_HELD if piece in shared else CLAIM_NEW for piece in said),
            CLAIM_HELD,
            *(EVIDENCE_SHARED if piece in shared else EVIDENCE_ONLY for piece in held),
            EVIDENCE_ONLY,
        ],
    )
