"""An answer about a whole day says beside it how much of that day it leaves out."""

from cli_runner import Voice


def test_an_answer_about_a_day_says_how_much_of_it_is_left_out(voice: Voice) -> None:
    for told in (
        "Fired the kiln",
        "Paid the baker",
        "Walked the dog",
        "Mended the gate",
        "Wrote to Anna",
        "Cut the hedge",
    ):
        voice.ok("remember", f"{told} before noon.")
    ran = voice.ok("ask", "What happened today?")

    assert "of at least 6 notes of that time; see them all with" in " ".join(ran.err.split())
    assert "notes of that time" not in voice("ask", "--new", "kiln", "Did I fire the kiln?").err
