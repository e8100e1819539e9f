"""What is said where nothing is asked of the memory.

Law: it states nothing, so it cites nothing, proves nothing and bears no tick; coverage and confidence are 0, as of any
answer that claims nothing.

Source: DESIGN 6 (the rung `remark`); ruling D1.
"""

from voice.core.grounding.values import GroundedResponse, SentenceVerdict
from voice.core.text.sentences import sentence_spans


def remark(said: str) -> GroundedResponse:
    """Return words that state nothing as the answer they are."""
    sentences = tuple(
        SentenceVerdict(start=start, end=end, text=said[start:end], kind="remark", rung="remark")
        for start, end in sentence_spans(said)
    )
    return GroundedResponse(
        answer=said, sources=(), confidence=0.0, coverage_ratio=0.0, refused=False, sentences=sentences
    )
