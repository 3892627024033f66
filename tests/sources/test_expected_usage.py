"""What a language model will cost, against the messages that are really sent."""

import pytest

from core.sources import SourceSettings
from core.sources.language_model.expected_usage import expected_usage
from core.sources.language_model.prompt import answer_of, messages
from core.text import Document, Label, LabelSet, Span

LABELS = LabelSet([Label("PER", description="人的姓名"), Label("LOC")])
SHOWN = Document("1", "林晚晴在清河。", (Span(0, 3, "PER"), Span(4, 6, "LOC")))


def tokens(text: str) -> float:
    return sum(0.25 if ord(character) < 128 else 1.0 for character in text)


@pytest.mark.parametrize("examples", [0, 2])
def test_read_tokens_are_those_of_the_messages(examples: int) -> None:
    how = SourceSettings("language_model", "M", target="m", address="http://a/v1", examples=examples)
    texts = ["昨天下雨。", "Lin rows.", "他在青岛。"]
    held = [SHOWN, SHOWN] if examples else []
    found = expected_usage(how, LABELS, held, texts, 3, sum(map(len, texts)))
    sent = [turn["content"] for text in texts for turn in messages(text, LABELS, held)]
    assert found.read == pytest.approx(sum(map(tokens, sent)), abs=1)
    written = 3 * tokens(answer_of(SHOWN.text, SHOWN.spans)) if examples else 0.5 * sum(map(tokens, texts))
    assert found.written == pytest.approx(written, abs=1)
    assert expected_usage(how, LABELS, held, (), 0, 0).read == 0
