"""The tool that checks any answer against any facts; it needs no memory.

Source: DESIGN 6 "The judge is a product of its own"; DESIGN 8 MCP.
"""

from voice.entrypoints.mcp.contract import Parameter, Tool

CHECK = Tool(
    name="check",
    dotted="check",
    title="Check an answer against facts",
    about="Use before you show a text of your own, to hold it sentence by sentence against facts that you give; "
    "neither the memory nor a model is asked.",
    parameters=(
        Parameter(
            name="answer",
            kind="text",
            required=True,
            about="The text. It cites facts by markers such as [1] or [id]; without any, each fact counts.",
            also=("text", "response", "claim", "output"),
        ),
        Parameter(
            name="facts",
            kind="facts",
            required=True,
            about="What it may rest on, each with its text and, where they are known, id, date and speaker.",
            also=("sources", "contexts", "documents", "evidence", "passages"),
        ),
        Parameter(
            name="question",
            kind="text",
            about="What was asked; its words need no proof.",
            also=("query", "q"),
        ),
    ),
    example={"answer": "The kiln is in the shed [1].", "facts": [{"text": "The kiln is in the shed."}]},
    repeatable=True,
)
