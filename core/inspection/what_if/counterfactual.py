"""Counterfactuals: the same tagger with another text, dictionary or queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.taggers.base.trace import Trace
from core.taggers.mrc.tagger import Mrc
from core.text import Document, Span


@dataclass(frozen=True, slots=True)
class Conditions:
    """Changes to a tagger's inputs other than the text.

    Args:
        added, removed: words added to and removed from the dictionary.
        queries: changed queries by label.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    queries: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.queries)


@contextmanager
def under(tagger: Tagger, conditions: Conditions) -> Iterator[None]:
    """Apply ``conditions`` to ``tagger`` in the block, and restore it afterwards.

    It must not be used by others meanwhile. Inputs that the tagger does not have (words without a dictionary,
    queries without query support) are ignored.

    Raises:
        LexiconError: an invalid word. KeyError: a query for an unknown label.
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
    """The trace of ``text`` under ``conditions``; see `under`."""
    with under(tagger, conditions):
        return tagger.trace(tagger.collate([Document("sentence", text)]).to(tagger.device))[0]


def tag_under(tagger: Tagger, texts: Sequence[str], conditions: Conditions) -> list[tuple[Span, ...]]:
    """The spans of each text under ``conditions``, tagged together; see `under`."""
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    with under(tagger, conditions):
        return [document.spans for document in tag(tagger, documents)]
