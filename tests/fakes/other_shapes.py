"""The shapes of Anthropic and of Ollama."""

from functools import partial

from fakes.shaped_provider import Raw, Says, half
from fakes.wire_shapes import LIMIT, MODEL, PROVIDER, common, fault, shape, thought_aloud

_anthropic = partial(shape, "anthropic")
_ollama = partial(shape, "ollama_chat")
_OVERLOADED = {"error": {"type": "overloaded_error", "message": "Overloaded"}}
_BILLING = fault(400, "Your credit balance is too low to access the Anthropic API.", type="invalid_request_error")


ANTHROPIC = [
    *common(_anthropic),
    _anthropic("a draft in two blocks", "answered", Says(in_halves=True)),
    _anthropic("a draft as a tool's call", "answered", Says(tool="json_tool_call", finish="tool_use")),
    _anthropic("the limit in the midst", "cut", Says(text=half, finish="max_tokens"), words=LIMIT),
    _anthropic("a full window", "cut", Says(text=half, finish="model_context_window_exceeded"), words=LIMIT),
    _anthropic("a refusal before a word", "declined", Says(text=None, finish="refusal"), words=("Anthropic", MODEL)),
    _anthropic("a refusal in the midst", "declined", Says(text=half, finish="refusal"), words=("Anthropic", "refusal")),
    _anthropic("a pause", "declined", Says(text=half, finish="pause_turn"), words=("pause_turn",)),
    _anthropic("a new stop", "declined", Says(text=half, finish="new_stop"), words=("Anthropic",)),
    _anthropic("an empty text", "declined", Says(text=""), words=("empty reply",)),
    _anthropic("overloaded", "provider_error", Raw(status=529, body=_OVERLOADED), words=("status 529",), calls=4),
    _anthropic(
        "overloaded in the midst", "provider_error", Says(broken_by=_OVERLOADED), calls=4, paid=4, how="streamed"
    ),
    _anthropic("no credit left", "provider_error", _BILLING, words=("quota or credit is used up", PROVIDER)),
    _anthropic(
        "too long a prompt",
        "provider_error",
        fault(400, "prompt is too long: 9 tokens"),
        words=("SURR_INNER_VOICE_MAX_TOKENS",),
    ),
]
OLLAMA = [
    *common(_ollama),
    _ollama("thinking aloud", "answered", Says(text=thought_aloud)),
    _ollama("no counts", "answered", Says(usage={})),
    _ollama("no count of the prompt", "answered", Says(usage={"eval_count": 30})),
    _ollama("the limit in the midst", "cut", Says(text=half, finish="length"), words=LIMIT),
    _ollama("loaded, and nothing more", "declined", Says(text="", finish="load"), words=("empty reply",)),
    _ollama("an unloaded model", "declined", Says(text="", finish="unload"), words=("empty reply",)),
    _ollama(
        "an error for a reply", "provider_error", Raw(body={"error": "model runner has stopped"}), calls=4, how="whole"
    ),
    _ollama(
        "an error in the midst",
        "provider_error",
        Says(broken_by={"error": "model runner has stopped"}),
        calls=4,
        paid=4,
        how="streamed",
    ),
    _ollama(
        "a model that is not there",
        "provider_error",
        Raw(status=404, body={"error": "model 'x' not found"}),
        words=(MODEL,),
    ),
]
