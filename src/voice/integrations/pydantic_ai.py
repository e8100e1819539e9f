"""A toolset for pydantic-ai over a memory.

    async with Voice.open() as voice:
        agent = Agent("openai:gpt-5", toolsets=[voice_toolset(voice)])
        result = await agent.run("Where did I move the kiln?")

Law: the toolset keeps nothing of its own; its tools are those of `voice.integrations.tools`.
"""

from importlib import import_module
from typing import Any

from voice.adapters.extras import require_installed
from voice.entrypoints.library import Voice
from voice.integrations.tools import tools_of


def voice_toolset(voice: Voice, *, id: str = "voice") -> Any:
    """Return the memory as a `FunctionToolset`: retrieve, recall, ask and remember.

    Args:
        voice: the open memory.
        id: what the toolset is called among those of an agent.

    Raises:
        ConfigurationError: pydantic-ai is not installed.
    """
    require_installed("pydantic_ai", "voice_toolset")
    function_toolset: Any = import_module("pydantic_ai.toolsets").FunctionToolset
    return function_toolset(list(tools_of(voice)), id=id)
