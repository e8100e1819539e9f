"""Gemini's shapes."""

from functools import partial

from fakes.shaped_provider import USAGE, Raw, Says, half
from fakes.wire_shapes import KEY, LIMIT, MODEL, PROVIDER, both, common, google, shape, unless

_row = partial(shape, "gemini")
_COUNTED = {"usageMetadata": {"promptTokenCount": 90, "totalTokenCount": 90}, "modelVersion": "shaped"}
_NULL_PARTS = {"candidates": [{"content": {"parts": None}, "finishReason": "STOP"}], **_COUNTED}
_DAY = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}
_NO_THINKING = google(400, "INVALID_ARGUMENT", "Thinking is not enabled for this model")
_NO_JSON = google(400, "INVALID_ARGUMENT", "JSON mode is not enabled for this model")
_NO_SYSTEM = google(400, "INVALID_ARGUMENT", "Developer instruction is not enabled for this model")
_STOPS = (
    "SAFETY", "RECITATION", "LANGUAGE", "SPII", "BLOCKLIST", "PROHIBITED_CONTENT", "OTHER", "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
)  # fmt: skip


def _wait(delay: str) -> dict[str, str]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def _blocked(reason: str) -> Raw:
    return Raw(body={"promptFeedback": {"blockReason": reason}, **_COUNTED})


def _invalid(message: str) -> Raw:
    return google(400, "INVALID_ARGUMENT", message)


GEMINI = [
    *common(_row),
    _row("a new finish reason, whole", "answered", Says(finish="SOME_NEW_REASON")),
    _row("a limit behind a whole draft", "answered", Says(finish="MAX_TOKENS")),
    _row("a filter behind a whole draft", "answered", Says(finish="SAFETY")),
    _row("no usage", "answered", Says(usage={})),
    _row("a usage that cannot be", "answered", Says(usage={"promptTokenCount": 90, "candidatesTokenCount": -3})),
    _row("new members", "answered", Says(usage={"promptTokenCount": 9, "trafficType": "NEW"}, beside={"new": [1]})),
    _row("the draft twice", "answered", Says(text=lambda draft: f"{draft}{draft}")),
    _row("a usage of its total", "answered", Says(usage={"totalTokenCount": 150})),
    _row("a usage in texts", "answered", Says(usage={"promptTokenCount": "90", "candidatesTokenCount": "20"})),
    _row("more cached than sent", "answered", Says(usage={**USAGE["gemini"], "cachedContentTokenCount": 400})),
    _row("a usage of tools", "answered", Says(usage={**USAGE["gemini"], "toolUsePromptTokenCount": 11})),
    _row("the limit before a word", "cut", Says(text=None, finish="MAX_TOKENS"), words=LIMIT),
    _row("the limit in the midst", "cut", Says(text=half, finish="MAX_TOKENS"), words=LIMIT),
    *(
        _row(f"{stop} in the midst", "declined", Says(text=half, finish=stop), words=("Gemini", stop, MODEL))
        for stop in _STOPS
    ),
    _row("a new finish reason, empty", "declined", Says(text=None, finish="NEW_REASON"), words=("Gemini", MODEL)),
    _row("a reason of pictures", "declined", Says(text=None, finish="IMAGE_SAFETY"), words=("IMAGE_SAFETY",)),
    _row("nothing", "declined", Says(text=None), words=("empty reply",)),
    _row("an empty text", "declined", Says(text=""), words=("empty reply",)),
    *both(_row, "a blocked prompt", _blocked("PROHIBITED_CONTENT"), words=("Gemini", "PROHIBITED_CONTENT", MODEL)),
    *both(_row, "a prompt blocked as unsafe", _blocked("SAFETY"), words=("Gemini", "SAFETY")),
    *both(_row, "a prompt blocked for a new reason", _blocked("NEW_REASON"), words=("Gemini", MODEL)),
    *both(_row, "no candidates", Raw(body=_COUNTED), words=("empty reply",)),
    *both(_row, "an empty list of candidates", Raw(body={**_COUNTED, "candidates": []}), words=("empty reply",)),
    *both(_row, "null for parts", Raw(body=_NULL_PARTS), words=("empty reply",)),
    _row(
        "a wait in the body",
        "answered",
        google(429, "RESOURCE_EXHAUSTED", "quota", _wait("3.5s")),
        Says(),
        calls=2,
        waits=(3.5,),
    ),
    _row(
        "a long wait in the body",
        "provider_error",
        google(429, "RESOURCE_EXHAUSTED", "quota", _wait("40s")),
        words=("limits the rate", "in 40 seconds"),
    ),
    _row(
        "a wait until a date",
        "provider_error",
        google(429, "RESOURCE_EXHAUSTED", "quota", headers={"retry-after": "Thu, 01 Jan 1970 03:00:00 GMT"}),
        words=("in 3 hours",),
    ),
    _row(
        "the quota of a day",
        "provider_error",
        google(429, "RESOURCE_EXHAUSTED", "quota", _DAY, _wait("2s")),
        words=("quota or credit is used up", PROVIDER),
    ),
    _row("overloaded", "provider_error", google(503, "UNAVAILABLE", "busy"), words=("status 503",), calls=4),
    _row(
        "an error in the midst",
        "provider_error",
        Says(broken_by={"error": {"code": 503, "status": "UNAVAILABLE"}}),
        calls=4,
        paid=4,
        how="streamed",
    ),
    _row(
        "a key that is a bad request",
        "provider_error",
        google(400, "INVALID_ARGUMENT", "API key not valid.", {"reason": "API_KEY_INVALID"}),
        words=("key", KEY),
    ),
    _row(
        "a region",
        "provider_error",
        google(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
        words=("the place", PROVIDER),
    ),
    _row(
        "too long a prompt",
        "provider_error",
        _invalid("The input token count (9) exceeds the maximum number of tokens allowed (8)."),
        words=("SURR_INNER_VOICE_MAX_TOKENS",),
    ),
    _row("too long a reply", "provider_error", _invalid("maxOutputTokens must be at most 8"), words=(LIMIT[1],)),
    _row("a bad request", "provider_error", _invalid("no"), words=(MODEL, LIMIT[1], "SURR_INNER_VOICE_TEMP")),
    _row("no thinking", "answered", unless("generationConfig", "thinkingConfig", fault=_NO_THINKING), calls=2),
    _row("no schema", "answered", unless("generationConfig", "responseJsonSchema", fault=_NO_JSON), calls=2),
    _row("no system text", "answered", unless("systemInstruction", fault=_NO_SYSTEM), calls=2),
]
