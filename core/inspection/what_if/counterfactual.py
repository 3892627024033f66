"""Counterfactuals: the same tagger on another text, with other dictionary words, or with other queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.taggers.base.trace import Trace
from core.taggers.mrc import Mrc
from core.text import Document, Span


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a tagger reads besides the text, where it is to differ from what the tagger has.

    Args:
        added, removed: words put into the dictionary, and taken out of it.
        queries: by label, what it is asked for with.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    queries: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.queries)


@contextmanager
def under(tagger: Tagger, conditions: Conditions) -> Iterator[None]:
    """``tagger`` under ``conditions`` for the block, and as it was after it.

    Nobody else may use it meanwhile. What a tagger does not read (words, without a dictionary; queries,
    unless it is asked any) changes nothing.

    Raises:
        LexiconError: a word is no word. KeyError: a query for a label the tagger does not know.
    """
    with ExitStack() as stack:
        if conditions.queries and isinstance(tagger, Mrc):
            stack.enter_context(tagger.replaced_queries(conditions.queries))
        lexicon = tagger.lexicon if tagger.uses_lexicon else None
        if lexicon is not None and (conditions.added or conditions.removed):
            other = lexicon.with_words(conditions.added).without_words(conditions.removed)
            tagger.lexicon = other
            stack.callback(setattr, tagger, "lexicon", lexicon)
        yield


def trace_under(tagger: Tagger, text: str, conditions: Conditions) -> Trace:
    """What the tagger sees and says of ``text`` under ``conditions``; see `under`."""
    with under(tagger, conditions):
        return tagger.trace(tagger.collate([Document("sentence", text)]).to(tagger.device))[0]


def tag_under(tagger: Tagger, texts: Sequence[str], conditions: Conditions) -> list[tuple[Span, ...]]:
    """What the tagger says of each text under ``conditions``, all in one go; see `under`."""
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    with under(tagger, conditions):
        return [document.spans for document in tag(tagger, documents)]
