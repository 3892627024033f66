"""Every callback and server function of the app, asked by everybody: who lacks a right is refused.

What a role may do is `core.store.project.members.RIGHTS`, the table of docs/people.md.
"""

import inspect
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.context import LocalContext

from app.main import build
from app.services.identity.logins import Login
from app.services.rights import PAGE_RIGHTS
from app.services.session import Sessions
from app.ui.server_function import payload_of
from core.store.document import documents
from core.store.label import labels
from core.store.project import members, projects
from core.store.project.members import RIGHTS, NotAllowed
from core.store.run import runs
from core.text import Document, LabelSet, Span

# What somebody may call who is in none of the workspace's projects; none of it tells of a project.
FOR_EVERYBODY = {
    # callbacks
    "fill": "the pages Annotate and Settings, and what stands around the pages",
    "switch_language": "the language of the page",
    "save_user": "the name, where nobody logs in",
    "choose_project": "refused unless the project is open to them",
    "restore_project": "refused unless they manage the project",
    "purge_project": "refused unless they manage the project",
    "saved": "how many labels there are: none",
    "preview": "what a change of labels comes to: nothing",
    "choose_kind": "the fields of a change of labels",
    "unfold": "the same as preview, once they are in sight",
    "fold": "that they no longer are",
    "leave": "the guideline of no project",
    "enter": "the guideline of no project",
    "apply": "a change of no label",
    "change_password": "refused without the present one",
    "end_session": "one's own; of others refused unless an operator asks",
    "end_others": "one's own sessions",
    "reset_password": "refused unless an operator asks",
    "put_member": "refused unless they manage the project",
    "remove_member": "refused unless they manage the project",
    "turn_to_kind": "the fields of a source of suggestions",
    "steps": "work that ends at once, refused",
    "cancel": "one's own work",
    "show": "an empty audit log: only who manages a project sees its part",
    # server functions
    "status": "the status bar, without the project's part",
    "list_places": "the projects open to them, and no run",
    "find_documents": "no document",
    "tour_state": "that the tour is not offered",
    "setup_begin": "a project of one's own",
    "setup_names": "a project of one's own",
    "setup_read": "a project of one's own",
    "setup_words": "a project of one's own",
    "setup_create": "a project of one's own",
    "setup_state": "a project of one's own",
    "setup_stop": "a project of one's own",
    "set_suggestion_view": "how suggestions are shown to them, in no project",
}
SECRETS = ("Geheimrat", "秘密文本", "STRENGGEHEIM", "secret-0001")


class House:
    """The whole app over a workspace with one project, and what can be called in it."""

    def __init__(self, workbench: Any) -> None:
        self.bench = workbench
        workspace = workbench.workspace
        for old in projects.all_projects(workspace):
            workspace_project = old.id
        projects.rename(workspace, workspace_project, SECRETS[0])
        labels.put(workspace, workspace_project, LabelSet().extended([SECRETS[2]]))
        documents.add(
            workspace, workspace_project, [Document("d", SECRETS[1] * 3, (Span(0, 2, SECRETS[2]),), {})]
        )
        runs.create(workspace, workspace_project, "secret")
        for name, role in (("man", "manager"), ("rui", "reviewer"), ("ann", "annotator")):
            members.put(workspace, workspace_project, name, role, by="man")
        self.project = workspace_project
        self.sessions = Sessions(lambda token: workbench)
        self.demo = build(self.sessions)

    def session(self, user: str) -> Any:
        session = self.sessions.open(user, "en", logged_in=True)
        scope = {"state": {"login": Login("", user, "proxy", 0, 0)}}
        LocalContext.request.set(SimpleNamespace(scope=scope))  # whose browser asks next
        session.project_id = self.project
        return session

    def callbacks(self) -> Iterator[tuple[str, Any, int]]:
        """Name, function of the token, and how many values it takes besides."""
        for dependency in self.demo.fns.values():
            if dependency.fn is not None and dependency.fn.__name__ != "open_page":
                inputs = len(dependency.inputs) - 1
                if inputs >= 0:
                    yield dependency.fn.__name__, dependency.fn, inputs

    def server_functions(self) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Name, function, and a payload that it can read."""
        for block in self.demo.blocks.values():
            for name, call in list(vars(block).items()):
                if getattr(call, "_is_server_fn", False):
                    kind = payload_of(asked(call))
                    payload = {} if kind is None else example(kind.model_json_schema())
                    if "order" in payload:  # its schema does not list the orders
                        payload["order"] = "random"
                    yield name, call, payload


def asked(call: Any) -> Any:
    """The function of the session behind a server function."""
    return inspect.getclosurevars(inspect.unwrap(call)).nonlocals["fn"]


def example(schema: dict[str, Any], defined: dict[str, Any] | None = None) -> Any:
    """A value of a JSON schema, as small as it allows."""
    defined = schema.get("$defs", {}) if defined is None else defined
    if "$ref" in schema:
        return example(defined[schema["$ref"].rpartition("/")[2]], defined)
    for alternatives in ("anyOf", "oneOf", "allOf"):
        if alternatives in schema:
            return example(schema[alternatives][0], defined)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    match schema.get("type"):
        case "object":
            needed = schema.get("required", [])
            return {name: example(schema["properties"][name], defined) for name in needed}
        case "array":
            return [example(schema["items"], defined)] * schema.get("minItems", 0)
        case "integer" | "number":
            return max(1, schema.get("minimum", 1))
        case "boolean":
            return False
        case "string":
            return "a" * schema.get("minLength", 1)
    return {}


@pytest.fixture
def house(workbench):
    return House(workbench)


def answer(call: Any, *values: Any) -> Any:
    """What a callback answers, or the error behind its refusal."""
    try:
        answered = call(*values)
        return next(answered, None) if inspect.isgenerator(answered) else answered
    except gr.Error as error:
        return error.__cause__
    except Exception as error:  # of values that no page sends
        return error


def sentence_of(session: Any, right: str) -> str:
    with pytest.raises(NotAllowed) as refused:
        members.check(session.workspace, session.project_id, session.user, right)
    return str(refused.value)


def test_nobody_without_a_session_calls_anything(house):
    callbacks, server = list(house.callbacks()), list(house.server_functions())
    assert (len(callbacks) > 200, len(server) > 100) == (True, True), "the walk finds the app"
    told = [
        name
        for name, call, inputs in callbacks
        if type(answer(call, "no token", *[None] * inputs)).__name__ not in ("SessionExpired", "ValueError")
    ]
    assert told == []
    for name, call, payload in server:
        for token in ("no token", None, 7, ["x"]):
            reply = call({**payload, "token": token})
            assert (name, reply["ok"], reply["code"]) == (name, False, "session")


def test_who_is_in_no_project_is_refused_or_told_nothing_of_it(house):
    session, open_to_all = house.session("out"), set()
    for name, call, inputs in house.callbacks():
        given = answer(call, session.token, *[None] * inputs)
        if not isinstance(given, NotAllowed):
            open_to_all.add(name)
            assert not [secret for secret in SECRETS if secret in repr(given)], name
    for name, call, payload in house.server_functions():
        reply = call({**payload, "token": session.token})
        if reply["ok"] or "out" not in reply["message"]:
            open_to_all.add(name)
        assert not [secret for secret in SECRETS if secret in json.dumps(reply, default=repr)], name
    assert open_to_all == FOR_EVERYBODY.keys()


@pytest.mark.parametrize("user", ["ann", "rui", "man"])
def test_whoever_lacks_the_right_of_a_callback_is_refused(house, user):
    session = house.session(user)
    role = members.role_of(session.workspace, session.project_id, user)
    lacking = {right for right, roles in RIGHTS.items() if role not in roles}
    walked = 0
    for name, call, inputs in house.callbacks():
        right = getattr(call, "right", None)
        if right in lacking:
            assert isinstance(answer(call, session.token, *[None] * inputs), NotAllowed), name
            walked += 1
    for name, call, payload in house.server_functions():
        right = getattr(asked(call), "right", None)
        if right in lacking:
            reply = call({**payload, "token": session.token})
            assert (name, reply["ok"]) == (name, False)
            assert sentence_of(session, right) in reply["message"], name
            walked += 1
    assert walked > (60 if user == "ann" else 20 if user == "rui" else -1)
    assert bool(lacking) == (user != "man")


def test_a_page_that_is_closed_to_a_role_answers_none_of_its_calls(house):
    session = house.session("ann")
    closed = {page for page, right in PAGE_RIGHTS.items() if "annotator" not in RIGHTS[right]}
    assert closed == {"review"}
    for name, call, payload in house.server_functions():
        if name.startswith("review_"):
            reply = call({**payload, "token": session.token})
            assert sentence_of(session, "review") in reply["message"], name
