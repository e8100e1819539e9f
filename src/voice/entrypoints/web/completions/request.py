"""A request for a chat completion, and the person's question in it.

Law: of all the messages the last one of the person is asked and no other: the memory answers, so what a client says of
itself (`system`, `developer`), and what it says was answered before, is neither obeyed nor kept. What is unknown here
is ignored, as OpenAI's clients expect; what would be answered otherwise than it was asked for (tools, several choices,
images, a format) is refused, by its name.

A program's own chores (a title for its list, tags, a query for a search of its own) are no questions of the person and
become no turn: nothing is asked of the memory, nothing is kept. They are known by the form that Open WebUI gives them:
the heading that each of its templates begins with, and the blocks that it puts what it fills in between. Of a question
that it laid documents around, only the question is asked: those documents are not the memory.
Source: OpenAI API reference, "Create chat completion"; Open WebUI, the default templates of
`backend/open_webui/config.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, cast

from pydantic import BaseModel, ConfigDict, Field

from voice.core.grounding.values import Stance
from voice.entrypoints.web.api.request_models import Body, Text
from voice.entrypoints.web.responses import Problem, ProblemError, fault_problem

MODELS: Final[Mapping[str, Stance]] = {f"voice/{stance.value}": stance for stance in Stance}
"""The models there are: a way to speak each."""
_LENIENT: Final = ConfigDict(strict=True, extra="ignore", frozen=True, allow_inf_nan=False)  # others send more members
_ONE_CHOICE: Final = 1  # also where a client sends it as the default


class Message(BaseModel):
    """One message of a conversation, as a client has it."""

    model_config = _LENIENT

    role: Text
    content: object = None  # a text, parts, or null of an assistant that called a tool


class StreamOptions(BaseModel):
    """What a stream holds beside the answer."""

    model_config = _LENIENT

    include_usage: bool | None = None


class ResponseFormat(BaseModel):
    """What form the answer should have."""

    model_config = _LENIENT

    type: str = "text"


class Completion(Body):
    """A request for a completion."""

    model_config = _LENIENT

    model: Text
    messages: Annotated[tuple[Message, ...], Field(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    user: str | None = None
    tools: object = None
    functions: object = None
    response_format: ResponseFormat | None = None

    @property
    def wants_usage(self) -> bool:
        """Whether a stream ends with what was used."""
        return self.stream_options is not None and self.stream_options.include_usage is True


def stance_of(model: str) -> Stance:
    """Return how the voice is to speak as a model; one that is not there is refused (ProblemError)."""
    if model not in MODELS:
        what = f"unknown model; use one of {', '.join(MODELS)}"
        # A 404, unlike the other faults: it is of a model.
        raise ProblemError(Problem(code="not_found", detail=what, more={"faults": [{"at": "model", "what": what}]}))
    return MODELS[model]


def require_answerable(completion: Completion) -> None:
    """Refuse tools, several choices and other formats (ProblemError): the answer could not be what is asked for."""
    if completion.tools or completion.functions:  # an empty list asks for none
        raise _invalid("tools" if completion.tools else "functions", "voice calls no tools; leave it out")
    if completion.n not in (None, _ONE_CHOICE):
        raise _invalid("n", "voice gives one answer per question; leave it out, or send 1")
    if completion.response_format is not None and completion.response_format.type != "text":
        raise _invalid("response_format", "voice answers in text, not in JSON; leave it out")


def question_index(messages: Sequence[Message]) -> int:
    """Return the index of the person's last message; a request without one is refused (ProblemError)."""
    for at in range(len(messages) - 1, -1, -1):  # from the end
        if messages[at].role == "user":
            return at
    raise _invalid("messages", 'there is no question; send a message with the role "user"')


def text_of(content: object, at: int) -> str:
    """Return the words of a message, a text or a list of parts; anything but text is refused (ProblemError)."""
    if isinstance(content, str):  # for the question: what cannot be read must not be left out of it
        return content
    where = f"messages/{at}/content"
    if not isinstance(content, list):
        raise _invalid(where, "it should be a text, or a list of parts of the type text")
    return "\n".join(_text_part(part, f"{where}/{place}") for place, part in enumerate(cast("list[object]", content)))


def words_of(content: object) -> str:  # for the history, which only tells conversations apart
    """Return the words of a message of which only the words matter here; pictures and sounds are passed over."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    return "\n".join(filter(None, map(_text_or_none, cast("list[object]", content))))


def _text_part(part: object, where: str) -> str:
    text = _text_or_none(part)
    if text is None:
        raise _invalid(where, "voice reads only text, no images, audio or files")
    return text


def _text_or_none(part: object) -> str | None:
    if not isinstance(part, dict):
        return None
    members = cast("dict[str, object]", part)
    text = members.get("text")
    return text if members.get("type") == "text" and isinstance(text, str) else None


def _invalid(at: str, what: str) -> ProblemError:
    return ProblemError(fault_problem(at, what))


EMPTY_TASK_ANSWER: Final = "{}"
"""What a chore is answered with: these programs read JSON there, and do without what is not in it."""
_TASK_HEADING: Final = "### Task:"  # how each of Open WebUI's templates begins
_TOOLS_HEADING: Final = "Available Tools:"  # its request to choose tools stands in a system message
_FACE_TASK: Final = "Your task is to reflect the speaker's likely facial expression"
_CHAT_END: Final = "</chat_history>"  # a title, tags or a query, made of the chat
_DOCUMENTS_END: Final = "</context>"  # documents, and then the question
_QUERY_TAGS: Final = ("<user_query>", "</user_query>")


def person_question(message: str, history: Sequence[Message]) -> str | None:
    """Return what the person asks in their last message; None where the program asks for itself."""
    message = message.strip()
    if message.startswith(_FACE_TASK) or any(_lists_tools(each) for each in history):  # neither begins with the heading
        return None
    if not message.startswith(_TASK_HEADING):
        return message
    if message.endswith(_CHAT_END):  # no question stands outside of the chat
        return None
    head, end_tag, _ = message.rpartition(_QUERY_TAGS[1])  # the last one: documents may hold the same tags
    _, start_tag, query = head.rpartition(_QUERY_TAGS[0])
    if start_tag and end_tag:
        return query.strip() or None
    return message.rpartition(_DOCUMENTS_END)[2].strip() or None if _DOCUMENTS_END in message else None


def _lists_tools(message: Message) -> bool:
    return message.role == "system" and words_of(message.content).lstrip().startswith(_TOOLS_HEADING)
