"""Every server function of every page under payloads made from what it declares: a refusal, never a fault."""

import json
import logging

import pytest

from app.main import build
from app.services.session import Sessions
from app.ui.frame import Frame
from app.ui.server_function import payload_of
from core.lexicon import Entry, gazetteer
from core.store.document import documents
from core.store.project import members, projects
from core.text import Document
from tests.app.conftest import *  # noqa: F403 - the fixtures of a filled workbench
from tests.faults.schema_values import Values, examples

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def functions(filled, no_worker, monkeypatch):
    """Every function that a page gives to its scripts, with what it takes, for one session."""
    sessions = Sessions(lambda token: filled.workbench)
    given = {}
    wrap = Frame.server

    def noted(frame, fn):
        call = wrap(frame, fn)
        given[f"{frame.page}.{fn.__module__}.{fn.__name__}"] = (call, payload_of(fn))
        return call

    monkeypatch.setattr(Frame, "server", noted)
    few = {kind: (Entry(f"名字{kind}", 1, ""),) for kind in gazetteer.KINDS}
    monkeypatch.setattr(gazetteer, "names", lambda: few)  # of jieba's, which take seconds
    build(sessions)
    return given, sessions.open("lin", "en").token


@pytest.mark.timeout(1200)
def test_whatever_a_browser_sends_is_answered_or_refused_by_name(functions, filled, caplog):
    given, token = functions
    assert len(given) > 80
    other = projects.create(filled.workspace, "of others").id
    ids = documents.add(filled.workspace, other, [Document(f"o-{n}", "北京下雨") for n in range(3)]).ids
    members.put(filled.workspace, other, "chen", "manager", by="chen")
    before = [documents.get(filled.workspace, number) for number in ids]
    faults, answered = {}, set()
    for name, (call, kind) in sorted(given.items()):
        schema = kind.model_json_schema() if kind else {"type": "object"}
        values = Values(name)
        for _ in examples(6, of=len(given)):
            payload = values.almost(schema, schema.get("$defs", {}))
            if isinstance(payload, dict):
                payload = {**payload, "token": token}
            caplog.clear()
            with caplog.at_level(logging.ERROR, logger="latticelens"):
                reply = call(payload)
            wrong = [record for record in caplog.records if record.levelno >= logging.ERROR]
            if wrong:
                faults.setdefault(name, (payload, logging.Formatter().formatException(wrong[0].exc_info)))
                continue
            json.dumps(reply, allow_nan=False)
            if reply["ok"]:
                answered.add(name)
            else:
                assert reply["code"], (name, payload, reply)
                assert reply["message"], (name, payload, reply)
    assert not faults, "\n\n".join(
        f"{name}: {payload!r:.1500}\n{trace}" for name, (payload, trace) in faults.items()
    )
    print(f"{len(answered)} of {len(given)} functions answered at least once; never: {set(given) - answered}")
    assert len(answered) > len(given) / 2, "most payloads are refused before they reach what they are for"
    assert projects.all_projects(filled.workspace), "the workspace is still there"
    assert [documents.get(filled.workspace, number) for number in ids] == before, "of another project"
