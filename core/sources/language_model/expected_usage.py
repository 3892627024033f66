"""How many tokens a language model will read and write, before anything is sent: a rough figure.

Vocabularies of language models differ. Counted are a token for each character that is not ASCII, as most
Chinese characters are one or two, and one for four characters of ASCII, as in English.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.sources.contract import Usage
from core.sources.language_model.prompt import answer_of, messages
from core.sources.settings import SourceSettings
from core.text import Document, LabelSet

UNKNOWN_ANSWER = 0.5  # tokens written for each token of a text, where no finished document shows an answer
MOST_EXAMPLES = 200  # that are measured


def expected_usage(
    settings: SourceSettings,
    labels: LabelSet,
    examples: Sequence[Document],
    sample: Sequence[str],
    texts: int,
    characters: int,
) -> Usage:
    """What asking about texts will come to; answers that are kept from before cost less.

    Args:
        examples: finished documents, some of which are shown with each text. sample: some of the texts.
        texts, characters: of all the texts.
    """
    if not texts:
        return Usage()
    of_character = sum(map(_tokens, sample)) / max(1, sum(map(len, sample)))
    shown = examples[:MOST_EXAMPLES]
    question = _tokens(messages("", labels, (), settings.instruction)[0]["content"])
    answers = [_tokens(answer_of(each.text, each.spans)) for each in shown]
    if shown:
        turn = (sum(_tokens(each.text) for each in shown) + sum(answers)) / len(shown)
        question += min(settings.examples, len(examples)) * turn
    written = texts * sum(answers) / len(answers) if shown else UNKNOWN_ANSWER * characters * of_character
    read = texts * question + characters * of_character
    return Usage(read=round(read), written=round(written), asked=texts)


def _tokens(text: str) -> float:
    ascii_ = sum(character.isascii() for character in text)
    return len(text) - ascii_ + ascii_ / 4
