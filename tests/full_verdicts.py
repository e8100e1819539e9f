"""What a judge and a verifier leave with a turn: with no field at its default for the tests of stores and chains, and
a plain sentence.
"""

from dataclasses import replace

from voice.core.grounding.values import LEXICAL_JUDGE, CutSentence, Receipt, SentenceVerdict
from voice.core.grounding.verifier_values import LexicalDetail, LexicalPart, Verification, VerifierInfo

_PROVEN = SentenceVerdict(
    start=0,
    end=9,
    text="In Porto.",
    kind="claim",
    rung="verified",
    score=0.3,
    weight=2.5,
    receipts=(Receipt(row_id="o:1", content_hash="h" * 64, start=0, end=9),),
    reasons=("the source says so",),
    flags=("name",),
    missing=((3, 8),),
    verifier="llm gemini/gemini-2.5-pro",
)
_PART = LexicalPart(start=0, end=2, verdict="supported", reasons=("so",))
SENTENCES = (
    _PROVEN,
    replace(_PROVEN, score=None, rung="remark", kind="remark"),
    replace(
        _PROVEN,
        missing=(),
        verifier=LEXICAL_JUDGE,
        judge=LEXICAL_JUDGE,
        lexical=LexicalDetail(kind="quotation", parts=(_PART,)),
    ),
)
VERIFICATION = Verification(
    verifier=VerifierInfo(name="llm", version="gemini/gemini-2.5-pro verify.v3"),
    asked=2,
    lapse="late",
    answers_question=True,
    false_support=0.04,
)
CUT = (CutSentence(rung="contradicted", kind="claim", weight=3.0, digest="c" * 64, reasons=("so",), flags=("number",)),)


def verdict(text: str, *row_ids: str, **members: object) -> SentenceVerdict:
    """Return a sentence that is proven by these rows, by default quoted."""
    receipts = tuple(Receipt(row_id=row_id, content_hash="h", start=0, end=1) for row_id in row_ids)
    base = SentenceVerdict(start=0, end=len(text), text=text, kind="claim", rung="quoted", receipts=receipts)
    return replace(base, **members)  # pyright: ignore[reportArgumentType]
