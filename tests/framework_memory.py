"""A memory that tests of other frameworks open, and a model for the OpenAI Agents SDK."""

from contextlib import AbstractAsyncContextManager
from importlib import import_module
from pathlib import Path
from typing import Any

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice

SECRET = "The safe opens with 4711."
_ON = {"gate.enabled": True, "llm.provider": "extractive", "grounding.single_source": "green", "nlq.timeout_ms": 10**6}


def opened(home: Path) -> AbstractAsyncContextManager[Voice]:
    """Open the memory in `home`, offline, with time enough to search on a busy machine."""
    return Voice.open(parse_settings(_ON, {}, {}).settings, home, parts=Parts(embedder=HashedEmbedder(64)))


def scripted_model() -> Any:  # noqa: ANN401 - its class is the SDK's
    """Return a model that looks for "kiln" and then says what it was told."""
    agents, types = import_module("agents"), import_module("openai.types.responses")
    agents.set_tracing_disabled(True)  # which would tell the vendor

    class Scripted(agents.Model):
        async def get_response(self, **named: Any) -> Any:  # noqa: ANN401 - as the SDK has it
            items = [] if isinstance(named["input"], str) else list(named["input"])
            self.heard.append(items)
            self.offered.update(each.name for each in named["tools"])
            out = types.ResponseFunctionToolCall(
                id="f", call_id="c", name="retrieve", arguments='{"query": "kiln"}', type="function_call"
            )
            for told in (each["output"] for each in items if each.get("type") == "function_call_output"):
                text = types.ResponseOutputText(text=str(told), type="output_text", annotations=[])
                out = types.ResponseOutputMessage(
                    id="m", content=[text], role="assistant", status="completed", type="message"
                )
            return agents.ModelResponse(output=[out], usage=agents.Usage(), response_id=None)

        stream_response = get_response

    model: Any = Scripted()
    model.heard, model.offered = [], set()
    return model
