"""The words of the speaker told back to them where they are no small words: in Chinese and Greek (ruling D1)."""

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.text.words import words


def _verdict(claim: str, source: str) -> str:
    return judge_sentence(claim, grounds(row("S1", source, at=UNDATED)), 1.65).verdict


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        ("我的猫叫小花。", "你的猫叫小花。", "你的猫叫小草。"),
        ("我的猫叫小花。", "您的猫叫小花。", "你的狗叫小花。"),
        ("我的猫叫小花。", "你的猫叫小花。", "你的猫叫大毛。"),
        ("我住在北京。", "你住在北京。", "你住在上海。"),
        ("我妹妹在银行工作。", "你妹妹在银行工作。", "你弟弟在银行工作。"),
        ("我们的房租是每月3000元。", "你们的房租是每月3000元。", "你们的房租是每月2000元。"),
        ("我的门牌号是88。", "你的门牌号是88。", "你的门牌号是89。"),
        ("Ο γιατρός μου λέγεται Νίκος.", "Ο γιατρός σου λέγεται Νίκος.", "Ο γιατρός σου λέγεται Γιώργος."),
        ("Το αυτοκίνητό μου είναι κόκκινο.", "Το αυτοκίνητό σου είναι κόκκινο.", "Το αυτοκίνητό σου είναι μπλε."),
        ("Έχω δύο γάτες στο σπίτι μου.", "Έχεις δύο γάτες στο σπίτι σου.", "Έχεις τρεις γάτες στο σπίτι σου."),
    ],
)
def test_mine_is_yours_and_nothing_else_changes(source: str, true: str, false: str) -> None:
    assert _verdict(true, source) == "supported"
    assert _verdict(false, source) != "supported"


def test_your_is_nothing_that_an_answer_adds_to_its_question() -> None:
    note = row("S1", "我的车牌号是12345。", at=UNDATED)
    asked = frozenset(word.stem for word in words("我的车牌号是多少?"))
    assert judge_sentence("你的车牌号是12345。", grounds(note, asked=asked), 1.65).verdict == "supported"
    assert judge_sentence("你的车牌号是54321。", grounds(note, asked=asked), 1.65).verdict != "supported"
