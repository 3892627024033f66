"""Modules of scripts are served for good under a version; styles stand once in the head of the page."""

import json
import posixpath
import re
from itertools import pairwise

import gradio as gr
import plotly.offline
import pytest
from gradio.routes import App
from starlette.testclient import TestClient

from app.main import FIRST_SCRIPTS, build
from app.services.session import Sessions
from app.ui.widgets import page_code
from app.ui.widgets.page_code import (
    modules,
    needed,
    page_head,
    page_opening,
    page_script,
    page_styles,
    script_folder,
    script_route,
)

IMPORT = re.compile(r'\bfrom\s+"(\.[^"]+)"')
MODULE = "widgets/plain_line.js"


@pytest.fixture(scope="module")
def demo():
    """The whole app."""
    return build(Sessions(lambda token: None))


@pytest.fixture
def nothing_registered(monkeypatch):
    for name, empty in (("_mounted", set()), ("_styles", {}), ("_opening", {})):
        monkeypatch.setattr(page_code, name, empty)


@pytest.fixture(scope="module")
def client():
    """The app of one empty page that asks for a name and a password."""
    with gr.Blocks(analytics_enabled=False) as demo:
        gr.HTML()
    demo.auth = lambda name, password: False
    demo.auth_message = None
    return TestClient(App.create_app(demo, app_kwargs={"routes": [script_route()]}))


def imports() -> dict[str, list[str]]:
    """By module, the modules it imports."""
    return {
        name: [
            posixpath.normpath(posixpath.join(posixpath.dirname(name), to))
            for to in IMPORT.findall(source.decode())
        ]
        for name, source in modules().items()
    }


def test_every_module_is_served_to_keep_for_good(client):
    for name, source in modules().items():
        answer = client.get(f"/{script_folder()}/{name}")
        assert answer.status_code == 200
        assert answer.content == source
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]


def test_plotly_is_served_beside_them_as_its_package_has_it(client):
    address = f"/{script_folder()}/libraries/plotly.js"
    answer = client.get(address)
    assert answer.text == plotly.offline.get_plotlyjs()
    assert answer.headers["content-encoding"] == "br"
    assert "immutable" in answer.headers["cache-control"]
    assert client.get(address, headers={"Accept-Encoding": "identity"}).content == answer.content


@pytest.mark.parametrize(
    "name",
    ["", "package.json", "nothing.js", "../app.js", "..%2fapp.js", "%2e%2e/app.js", "/etc/passwd",
     "text/../../app.css", "text", "text/offsets.js/..%2f..%2fpackage.json"],
)  # fmt: skip
def test_nothing_else_is_served_under_the_folder(client, name):
    answer = client.get(f"/{script_folder()}/{name}", follow_redirects=False)
    assert answer.status_code != 200 or answer.content in modules().values()
    assert b"latticelens = lens" not in answer.content


def test_another_version_of_a_module_is_not_found(client):
    assert client.get(f"/scripts/{'0' * 16}/{MODULE}").status_code == 404


def test_the_version_changes_with_a_name_and_with_a_source(monkeypatch):
    def folder(given):
        monkeypatch.setattr(page_code, "modules", lambda: given)
        return script_folder.__wrapped__()

    found = {folder(given) for given in ({"a": b"1"}, {"a": b"2"}, {"b": b"1"}, {"a": b"1", "b": b""})}
    assert len(found) == 4
    assert all(re.fullmatch(r"scripts/[0-9a-f]{16}", one) for one in found)


def test_every_import_names_a_module_and_they_make_no_circle():
    graph = imports()
    unknown = {(name, to) for name, all_ in graph.items() for to in all_ if to not in graph}
    assert unknown == set()
    left = dict(graph)
    while left:
        ends = [name for name, all_ in left.items() if not set(all_) & set(left)]
        assert ends, f"a circle among {sorted(left)}"
        for name in ends:
            del left[name]


def test_every_module_is_mounted_or_imported(demo):
    lines = [one["props"].get("js_on_load") or "" for one in demo.get_config_file()["components"]]
    mounted = {found for line in lines for found in re.findall(r'latticelens\.mount\("([^"]+)"', line)}
    imported = {to for all_ in imports().values() for to in all_}
    # Read-only sentences are a widget of other pages than the window's.
    assert set(modules()) - imported - mounted <= {"widgets/sentences.js"}
    for name in mounted:
        assert re.search(r"^export const mount = ", modules()[name].decode(), re.MULTILINE), name


def test_a_page_lists_the_modules_of_its_widgets_and_preloads_the_first(nothing_registered):
    graph = imports()
    for name in modules():
        found = set(needed(name))
        assert {name, *graph[name]} <= found
        assert all(to in found for one in found for to in graph[one])
    page_script("lattice/viewer.js")
    told = json.loads(re.search(r"Object\.assign\(window\.latticelens, (.*)\);", page_head())[1])
    assert told["needed"] == {"lattice/viewer.js": needed("lattice/viewer.js")}
    early = re.findall(r'<link rel="modulepreload" href="([^"]+)">', page_head(*FIRST_SCRIPTS))
    assert sorted(early) == sorted(f"{script_folder()}/{name}" for name in needed(*FIRST_SCRIPTS))
    assert '<link rel="modulepreload"' not in page_head()


def test_no_module_writes_markup_or_calls_another_host():
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function"
    outside = r"https?:(?!//www\.w3\.org/2000/svg\")"
    found = {
        name: re.findall(f"{forbidden}|{outside}", source.decode()) for name, source in modules().items()
    }
    assert {name: what for name, what in found.items() if what} == {}


def test_pure_modules_do_not_touch_the_page():
    """Modules of `text` and of the annotator's state import nothing that draws."""
    for name, all_ in imports().items():
        if name.startswith(("text/", "annotator/state/")):
            assert "page/dom.js" not in all_, name


def test_addresses_hold_behind_a_proxy_that_gives_the_app_a_folder(nothing_registered):
    page_script(MODULE)
    addresses = re.findall(r'(?:href|src)="([^"]+)"', page_head(MODULE))
    assert addresses == [f"{script_folder()}/{MODULE}", *addresses[1:]]
    assert not any(address.startswith(("/", "http", ".")) for address in addresses)


def test_gradio_finds_the_events_of_a_widget_and_nothing_else_in_its_line():
    with gr.Blocks(analytics_enabled=False):
        widget = gr.HTML(js_on_load=page_script(MODULE, events=("ring",)))
        assert callable(widget.ring)
        for name in ("plain_line", "mount", "element"):
            with pytest.raises(AttributeError):
                getattr(widget, name)


@pytest.mark.parametrize("name", ["", "Bell", "a-b", 'a"b', "a b", "1a", "a;b", "a.b"])
def test_an_event_that_is_no_plain_word_is_refused(name):
    with pytest.raises(ValueError, match="small letters"):
        page_script(MODULE, events=(name,))


@pytest.mark.parametrize("name", ["", "plain_line.js", "../app.js", "package.json", 'a"b.js'])
def test_a_module_that_does_not_exist_is_refused(name):
    with pytest.raises(FileNotFoundError):
        page_script(name)


def test_messages_are_in_the_head_once_and_cannot_close_it(nothing_registered, monkeypatch):
    hostile = {"Stop": "</script><script>alert(1)</script><!--", "Save": "青岛"}
    monkeypatch.setattr(page_code, "script_messages", lambda language: hostile)
    for _ in range(30):
        page_script(MODULE)
        assert page_styles("annotator") == ["ll-style-annotator"]
    head = page_head()
    assert head.count("alert(1)") == 1
    assert head.count("</script>") == 1
    assert "<!--" not in head
    assert head.count(".ll-style-annotator)") == 1
    given = json.loads(re.search(r"Object\.assign\(window\.latticelens, (.*)\);", head)[1])
    assert (given["scripts"], given["messages"]) == (script_folder(), {"zh": hostile})


@pytest.mark.parametrize("source", ['"</script>"', '"</SCRIPT >"', "<!-- ", '"</scripty"'])
def test_a_source_that_would_end_its_element_is_refused(source):
    with pytest.raises(ValueError, match="<script>"):
        page_opening("bell", source)


def test_what_runs_at_the_opening_comes_after_the_first_script(nothing_registered):
    page_opening("texts", "one();")
    page_opening("texts", "other();")
    head = page_head()
    assert "one();" not in head
    places = [
        head.index(part) for part in ("latticelens = lens", "Object.assign(window.latticelens", "other();")
    ]
    assert all(before < after for before, after in pairwise(places))


def test_no_widget_sends_its_own_script_or_style(demo):
    props = [component["props"] for component in demo.get_config_file()["components"]]
    lines = [own["js_on_load"] for own in props if "latticelens" in (own.get("js_on_load") or "")]
    assert len(lines) > 60
    assert max(map(len, lines)) < 160
    assert [own for own in props if own.get("css_template")] == []


def test_what_the_opening_names_does_not_grow_with_the_window(demo):
    listeners = demo.get_config_file()["dependencies"]
    (load,) = [one for one in listeners if one["targets"][0][1] == "load"]
    assert len(load["outputs"]) <= 6
    assert load["show_progress_on"] == [load["outputs"][0]]
    assert json.dumps(load["inputs"]).count(",") < 5
