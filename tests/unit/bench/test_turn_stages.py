"""`python -m bench.turn` watches the functions that a turn calls."""

from bench.stages import Watch, pure_parts_watched

from voice.services.turn import answer_search
from voice.services.turn.ask import Ask


def test_every_watched_function_is_called_by_a_service_and_put_back() -> None:
    judging = vars(answer_search)["judge_passages"]
    assert Ask
    with pure_parts_watched(Watch()):
        assert vars(answer_search)["judge_passages"] is not judging
    assert vars(answer_search)["judge_passages"] is judging
