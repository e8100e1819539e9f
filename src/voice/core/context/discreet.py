"""Messages that come from outside are not believed to be discreet.

Law: a message of a provider's client is shown and stored only if it repeats no stretch of the prompt (promise 6); many
a vendor's error quotes the request that it complains about.
"""

STRETCH = 20
"""Characters; what the program's own messages and its prompts have in common is shorter."""


def discreet(message: str, prompt: str, *, otherwise: str) -> str:
    """Return `message`, or `otherwise` when a stretch of it stands in `prompt`."""
    stretches = (message[start : start + STRETCH] for start in range(max(0, len(message) - STRETCH) + 1))
    repeats = len(message) >= STRETCH and any(stretch in prompt for stretch in stretches)
    return otherwise if repeats else message
