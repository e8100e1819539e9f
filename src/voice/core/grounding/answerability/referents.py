"""Whom a pronoun of the answer means, where that is certain.

Law: "she", "he", "her" and "his" at the head of a sentence mean the one known person that was named last, in the same
sentence before the pronoun or in the sentence before; an item of a list is about the one known person its heading
names. Anybody else who might be meant (a second name, "her sister", a name that may be a person's) makes it
uncertain, and so does a name of the other gender; then the sentence must stand by itself. A name replaces the pronoun
for asking whom a claim is about and for nothing else: what the answer says stays as it was written. A pronoun that can
mean nobody ("Gina sold his boat", where no man is told of) is a sign that the claim was another person's.

Source: DESIGN 6 stage 4 (who did what to whom); ruling D1.
"""

from typing import Literal

from voice.core.text.first_names import MEN, WOMEN

Gender = Literal["she", "he"]


def gender_of(name: str) -> Gender | None:
    """Return whether a first name is a woman's or a man's as far as a short list of common names tells."""
    key = name.casefold()
    if key in WOMEN:
        return "she"
    return "he" if key in MEN else None
