"""What counts as a question.

Law: any text is one, as long as it says something and is short enough to be a question (ruling G).
"""

from voice.core.errors import InvalidParams
from voice.core.text.normalise import clean_text, norm_v1

MAX_QUESTION_CHARS = 20_000


def require_question(text: str) -> str:
    """Return the question without control characters at its ends.

    Raises:
        InvalidParams: it is empty or longer than `MAX_QUESTION_CHARS`.
    """
    question = clean_text(text).strip()
    if not norm_v1(question):
        raise InvalidParams("the question is empty; ask something")
    if len(question) > MAX_QUESTION_CHARS:
        raise InvalidParams(
            f"the question has {len(question):,} characters; at most {MAX_QUESTION_CHARS:,} are allowed. "
            "Remember the long part first (`voice remember`), then ask about it"
        )
    return question
