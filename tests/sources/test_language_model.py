"""A language model over HTTP, against a stand-in that misbehaves."""

import json
import logging
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.sources import Answer, Context, SourceError, SourceSettings, open_source
from core.sources.language_model import client
from core.text import Document, Label, LabelSet, Span
from tests.sources.stand_in import Behaviour, Reply, StandIn, stand_in

LABELS = LabelSet([Label("PER", description="people, with their\nfull name"), Label("ORG")])
TEXT = "王小红和李明见到了王小红。"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)


def _said(*entities: tuple[str, str, int]) -> str:
    return json.dumps(
        {"entities": [{"text": t, "label": lab, "occurrence": n} for t, lab, n in entities]},
        ensure_ascii=False,
    )


def _ask(
    behave: Behaviour, texts: Sequence[str] = (TEXT,), context: Context | None = None, **settings: Any
) -> tuple[list[Answer], StandIn]:
    with stand_in(behave) as server:
        how = SourceSettings("language_model", "m", target="small", address=server.address, **settings)
        source = open_source(how, context or Context(LABELS))
        return list(source.suggest(texts)), server


def test_the_request_names_labels_guidelines_and_the_answers_form() -> None:
    (answer,), server = _ask(lambda body, n: Reply(_said(("王小红", "PER", 2))), instruction="No nicknames.")
    assert answer.spans == (Span(9, 12, "PER"),)
    assert (answer.usage.read, answer.usage.written, answer.usage.asked) == (100, 10, 1)
    (headers, body) = server.asked[0]
    assert headers["path"] == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert body["model"] == "small"
    assert body["temperature"] == 0
    system = body["messages"][0]["content"]
    assert "- PER: people, with their full name\n- ORG\n" in system
    assert "No nicknames." in system
    assert body["messages"][-1] == {"role": "user", "content": TEXT}
    entity = body["response_format"]["json_schema"]["schema"]["properties"]["entities"]["items"]
    assert entity["properties"]["label"]["enum"] == ["PER", "ORG"]


def test_answers_come_in_order_though_asked_in_parallel() -> None:
    texts = [f"第{number}号张三" for number in range(9)]

    def behave(body: dict[str, Any], n: int) -> Reply:
        time.sleep(0.03 if n % 2 == 0 else 0)
        return Reply(_said((body["messages"][-1]["content"], "ORG", 1)))

    answers, _ = _ask(behave, texts, parallel=4)
    assert [answer.spans for answer in answers] == [(Span(0, len(text), "ORG"),) for text in texts]


def test_a_long_text_is_asked_in_pieces() -> None:
    text = "李明说了很多话。" * 400  # 3,200 characters
    (answer,), server = _ask(lambda body, n: Reply(_said(("李明", "PER", 1))), [text])
    starts = [span.start for span in answer.spans]
    assert len(starts) == len(server.asked) >= 3
    assert all(text[start : start + 2] == "李明" for start in starts)


def test_examples_are_finished_documents_like_the_text() -> None:
    like = Document("a", "记者李明见到了局长。", (Span(2, 4, "PER"), Span(7, 9, "TITLE")))
    unlike = Document("b", "完全另外的内容", ())
    same = Document("c", TEXT, (Span(0, 3, "PER"),))
    context = Context(LABELS, examples=[unlike, like, same])
    _, server = _ask(lambda body, n: Reply(), context=context, examples=1)
    turns = server.asked[0][1]["messages"]
    assert [turn["content"] for turn in turns[1:]] == [like.text, _said(("李明", "PER", 1)), TEXT]


@pytest.mark.parametrize(
    ("failing", "attempts"),
    [
        (Reply(status=429, headers={"Retry-After": "0.02"}), 2),
        (Reply(status=503), 2),
        (Reply(cut=20), 2),
        (Reply(body=b"<html>busy</html>"), 2),
        (Reply(body=b'{"choices": []}'), 2),
        (Reply("I would rather talk about the weather."), 2),
        (Reply('{"entities": [{"text": "\\u'), 2),
    ],
)
def test_what_may_pass_is_asked_again(failing: Reply, attempts: int) -> None:
    good = Reply(_said(("李明", "PER", 1)))
    (answer,), server = _ask(lambda body, n: failing if n == 0 else good)
    assert answer.spans == (Span(4, 6, "PER"),)
    assert len(server.asked) == attempts


def test_one_text_without_an_answer_does_not_stop_the_others() -> None:
    def behave(body: dict[str, Any], n: int) -> Reply:
        return (
            Reply(status=500, body=b'{"error": {"message": "out of memory"}}')
            if "坏" in str(body)
            else Reply()
        )

    first, second = _ask(behave, ["坏的", "好的"])[0]
    assert first.problem is not None
    assert "out of memory" in str(first.problem)
    assert not first.spans
    assert second.problem is None


def test_a_server_that_drips_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ATTEMPTS", 1)
    reply = Reply(slow=0.3)
    began = time.monotonic()
    (answer,), _ = _ask(lambda body, n: reply, seconds=1)
    assert time.monotonic() - began < reply.seconds / 2
    assert "did not answer within 1 s" in str(answer.problem)


@pytest.mark.parametrize(
    ("status", "says"), [(401, "refused the key"), (404, "no such model"), (302, "another address")]
)
def test_what_no_text_will_survive_ends_the_work(status: int, says: str) -> None:
    reply = Reply(status=status, headers={"Location": "http://127.0.0.1:1/elsewhere"})
    with pytest.raises(SourceError, match=says):
        _ask(lambda body, n: reply, ["a", "b", "c"])


def test_a_server_without_schema_or_probabilities_is_asked_without() -> None:
    def behave(body: dict[str, Any], n: int) -> Reply:
        if "logprobs" in body or "response_format" in body:
            return Reply(status=400, body=b'{"error": {"message": "unknown field"}}')
        return Reply(_said(("李明", "PER", 1)))

    answers, server = _ask(behave, [TEXT, TEXT + "!"], parallel=1)
    assert all(answer.spans for answer in answers)
    assert len(server.asked) <= 6  # two requests are under way before the first answer
    too_long = Reply(status=400, body=b'{"error": "context too long"}')
    answers, server = _ask(lambda b, n: too_long if "坏" in str(b) else Reply(), ["坏", "好"], parallel=1)
    assert "context too long" in str(answers[0].problem)
    assert answers[1].problem is None
    assert "response_format" in server.asked[-1][1], "a text that is too long costs the next one its schema"


def test_the_key_is_sent_in_its_header_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    context = Context(LABELS, cache=tmp_path, key=lambda: "sk-hidden")
    reply = Reply(status=500, body=b'{"error": "no"}')
    answers, server = _ask(lambda body, n: reply if n == 0 else Reply(), context=context)
    assert server.asked[0][0]["Authorization"] == "Bearer sk-hidden"
    kept = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    assert kept
    assert "sk-hidden" not in kept + caplog.text + json.dumps(server.asked[0][1]) + repr(answers)


def test_an_answer_is_paid_for_once(tmp_path: Path) -> None:
    context = Context(LABELS, cache=tmp_path)
    with stand_in(lambda body, n: Reply(_said(("李明", "PER", 1)))) as server:
        how = SourceSettings("language_model", "m", target="small", address=server.address)
        first = list(open_source(how, context).suggest([TEXT]))
        again = list(open_source(how, context).suggest([TEXT]))
        (file,) = tmp_path.rglob("*.json")
        file.write_text("{ damaged")
        list(open_source(how, context).suggest([TEXT]))
    assert first[0].spans == again[0].spans
    assert again[0].usage.cached == 1
    assert again[0].usage.asked == 0
    assert len(server.asked) == 2


def test_cancelling_does_not_wait_for_the_server() -> None:
    class Enough(Exception):
        pass

    def pause() -> None:
        if time.monotonic() - began > 0.3:
            raise Enough

    reply = Reply(slow=0.3)
    began = time.monotonic()
    with pytest.raises(Enough):
        _ask(lambda body, n: reply, ["a"] * 50, Context(LABELS, pause=pause))
    assert time.monotonic() - began < reply.seconds / 2


def test_probabilities_are_those_of_the_tokens_of_a_statement() -> None:
    before, entity, after = '{"entities": [', '{"text": "李明", "label": "PER", "occurrence": 1}', "]}"
    tokens = [(before, -5.0), (entity[:12], -0.1), (entity[12:], -0.2), (after, -7.0)]
    (answer,), _ = _ask(lambda body, n: Reply(before + entity + after, tokens=tokens))
    assert answer.spans[0].score == pytest.approx(math.exp(-0.3))
    (answer,), _ = _ask(lambda body, n: Reply(before + entity + after, tokens=tokens[1:]))
    assert answer.spans[0].score is None, "tokens that are not the answer say nothing of it"


@pytest.mark.parametrize(
    "address",
    ["ftp://x/v1", "127.0.0.1:8080", "http://", "http://u:p@h/v1", "http://h:99999/v1", "http://h/?q"],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(SourceError):
        open_source(SourceSettings("language_model", "m", target="x", address=address), Context(LABELS))


def test_without_labels_there_is_nothing_to_ask_for() -> None:
    with pytest.raises(SourceError, match="Add labels"):
        open_source(SourceSettings("language_model", "m", target="x", address="http://h/v1"), Context())
