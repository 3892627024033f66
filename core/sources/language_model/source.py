"""A language model as a source: a question for each piece of a text, answered in parallel, in order."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any

from core.runtime.message import Message, _
from core.sources.contract import Answer, Context, Dropped, SourceError, Usage
from core.sources.language_model.answer import Token, find_in_text, read_answer
from core.sources.language_model.cache import AnswerCache
from core.sources.language_model.client import ChatClient, FormatRefused, Unanswered
from core.sources.language_model.examples import Examples
from core.sources.language_model.prompt import messages, schema
from core.sources.settings import SourceSettings
from core.text import Span
from core.text.segmentation import windows

WINDOW = 1_500  # characters of one question
LONGEST_ANSWER = 4_096  # tokens
LOOK = 0.2  # seconds between two looks whether to stop
# Of older servers some know no probabilities of tokens, others no schema.
_FORMATS = (("response_format", "logprobs"), ("response_format",), ())


class LanguageModel:
    """A model that is asked over HTTP; nothing is sent before `suggest`.

    Raises:
        SourceError: the address is none, or the project has no labels to ask for.
    """

    def __init__(self, settings: SourceSettings, context: Context) -> None:
        if not len(context.labels):
            raise SourceError(
                "A language model is asked for the labels of the project, and there are none yet. Add labels "
                "first."
            )
        self._settings, self._context = settings, context
        self.labels = context.labels.names
        self._stopped = threading.Event()
        self._client = ChatClient(
            settings.address,
            key=context.key,
            seconds=settings.seconds,
            transport=context.transport,
            pause=self._check,
        )
        self._cache = AnswerCache(context.cache)
        self._examples = Examples(context.examples)
        self._format: dict[str, Any] = {"response_format": schema(self.labels), "logprobs": True}
        self._known = 0  # place in `_FORMATS`

    def suggest(self, texts: Sequence[str]) -> Iterator[Answer]:
        """As `Source.suggest`. A text without an answer says why; the others go on.

        Raises:
            SourceError: no text will be answered, as where the key is refused.
        """
        self._stopped.clear()
        ahead = 2 * self._settings.parallel  # asked before they are wanted
        pool = ThreadPoolExecutor(self._settings.parallel, thread_name_prefix="language-model")
        waiting: list[Future[Answer]] = []
        try:
            rest = iter(texts)
            waiting += [pool.submit(self._answer, text) for text in islice(rest, ahead)]
            while waiting:
                first = waiting.pop(0)
                while not wait([first], LOOK).done:
                    self._context.pause()
                answer = first.result()
                waiting += [pool.submit(self._answer, text) for text in islice(rest, 1)]
                self._context.pause()
                yield answer
        finally:
            self._stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def _check(self) -> None:
        if self._stopped.is_set():
            raise Unanswered(_("Cancelled."))

    def _answer(self, text: str) -> Answer:
        spans: list[Span] = []
        dropped: Counter[Dropped] = Counter()
        usage = Usage()
        for start, end in windows(text, WINDOW):
            if not text[start:end].strip():
                continue
            try:
                piece = self._piece(text[start:end])
            except Unanswered as problem:
                return Answer(usage=usage, problem=problem.message)
            usage += piece.usage
            if piece.problem is not None:
                return Answer(usage=usage, problem=piece.problem)
            spans += [
                Span(span.start + start, span.end + start, span.label, span.score) for span in piece.spans
            ]
            dropped.update(piece.dropped)
        return Answer(tuple(spans), dict(dropped), usage)

    def _piece(self, text: str) -> Answer:
        examples = self._examples.like(text, self._settings.examples)
        question = {
            "model": self._settings.target,
            "messages": messages(text, self._context.labels, examples, self._settings.instruction),
            "temperature": 0,
            "max_tokens": LONGEST_ANSWER,
        }
        asked_as = {"address": self._settings.address, **question}
        cached = self._cache.get(asked_as)
        if cached is not None:
            answer = _read(text, cached, self.labels)
            if answer.problem is None:
                return Answer(answer.spans, answer.dropped, Usage(cached=1))
        usage = Usage()
        answer = Answer()
        for _attempt in range(2):  # an answer that cannot be read may come out right the second time
            reply = self._complete(question)
            usage += _usage(reply)
            answer = _read(text, reply, self.labels)
            if answer.problem is None:
                self._cache.put(asked_as, _kept(reply))
                break
        return Answer(answer.spans, answer.dropped, usage, answer.problem)

    def _complete(self, question: dict[str, Any]) -> dict[str, Any]:
        """Ask with as much of `_FORMATS` as the server knows; what it refuses is left out from then on."""
        for known in range(self._known, len(_FORMATS)):
            asked = {name: self._format[name] for name in _FORMATS[known]}
            try:
                reply = self._client.complete({**question, **asked})
            except FormatRefused:
                continue
            self._known = max(known, self._known)
            return reply
        raise AssertionError("a request without a format is not refused for it")


def _read(text: str, reply: dict[str, Any], labels: Sequence[str]) -> Answer:
    content = reply["choices"][0]["message"]["content"]
    read = read_answer(content, _tokens(reply))
    if not read.readable:
        return Answer(problem=_unreadable(reply))
    found = find_in_text(text, read.entities, labels)
    malformed: dict[Dropped, int] = {"malformed": read.malformed} if read.malformed else {}
    return Answer(found.spans, {**found.dropped, **malformed})


def _unreadable(reply: dict[str, Any]) -> Message:
    if reply["choices"][0].get("finish_reason") == "length":
        return _(
            "The answer broke off before the first entity. Shorten the instruction or choose another model."
        )
    return _("The answer of the model is not what was asked for. Try another model.")


def _tokens(reply: dict[str, Any]) -> list[Token]:
    """The tokens of the answer with their log probabilities, where the server gives them."""
    given = reply["choices"][0].get("logprobs")
    content = given.get("content") if isinstance(given, dict) else None
    if not isinstance(content, list):
        return []
    tokens: list[Token] = []
    for item in content:
        match item:
            case {"token": str(token), "logprob": float() | int() as logprob} if logprob <= 0:
                tokens.append((token, float(logprob)))
            case _:
                return []
    return tokens


def _usage(reply: dict[str, Any]) -> Usage:
    given = reply.get("usage")
    counts = given if isinstance(given, dict) else {}

    def count(name: str) -> int:
        value = counts.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0

    return Usage(count("prompt_tokens"), count("completion_tokens"), asked=1)


def _kept(reply: dict[str, Any]) -> dict[str, Any]:
    """Of an answer what is read again from the cache."""
    choice = reply["choices"][0]
    message = {"content": choice["message"]["content"]}
    return {"choices": [{"message": message, "logprobs": choice.get("logprobs")}]}
