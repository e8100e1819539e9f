"""Ways in which a text reads like instructions to a model.

Law: the names are shown as they stand; each is something a person can look for in the text.

Source: ruling D22.
"""

from typing import Literal

InstructionKind = Literal[
    "overrides the rules",
    "changes the model's role",
    "asks for the rules",
    "poses as another part of the prompt",
    "sets the model's own figures",
    "addresses the model",
    "tells the model what to say to the user",
    "dictates the answer",
    "hides an order in code",
]
