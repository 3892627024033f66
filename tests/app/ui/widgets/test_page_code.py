"""Scripts and styles of widgets stand once in the head of the page."""

from __future__ import annotations

import json
import re

import gradio as gr
import pytest

from app.main import build
from app.services.session import Sessions
from app.ui.widgets import page_code
from app.ui.widgets.page_code import page_head, page_opening, page_script, page_styles


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch):
    for name in ("_scripts", "_styles", "_opening"):
        monkeypatch.setattr(page_code, name, {})


def test_a_widget_carries_one_line_and_the_head_its_script():
    line = page_script("bell", "element.textContent = props.value;", events=("ring", "stop"))
    assert len(line) < 160
    assert "textContent" not in line
    assert page_head().count("element.textContent = props.value;") == 1


def test_gradio_finds_the_events_of_a_widget_and_nothing_else_in_its_line():
    with gr.Blocks(analytics_enabled=False):
        widget = gr.HTML(js_on_load=page_script("bell", "", events=("ring",)))
        assert callable(widget.ring)
        with pytest.raises(AttributeError):
            _ = widget.bell


def test_many_widgets_of_one_name_have_one_script_and_one_style_sheet():
    for _ in range(30):
        page_script("bell", "/* the bell's */")
        assert page_styles("annotator") == ["ll-style-annotator"]
    assert page_head().count("the bell's") == 1
    assert page_head().count(".ll-style-annotator)") == 1


@pytest.mark.parametrize("name", ["", "Bell", "a-b", 'a"b', "a b", "1a", "a;b", "a.b"])
def test_a_name_that_is_no_identifier_is_refused(name):
    with pytest.raises(ValueError, match="small letters"):
        page_script(name, "")
    with pytest.raises(ValueError, match="small letters"):
        page_script("bell", "", events=(name,))


@pytest.mark.parametrize("source", ['"</script>"', '"</SCRIPT >"', "<!-- ", '"</scripty"'])
def test_a_source_that_would_end_its_element_is_refused(source):
    with pytest.raises(ValueError, match="<script>"):
        page_script("bell", source)
    with pytest.raises(ValueError, match="<script>"):
        page_opening("bell", source)


def test_what_runs_at_the_opening_comes_after_the_widgets():
    page_opening("texts", "one();")
    page_opening("texts", "other();")
    page_script("bell", "ring();")
    head = page_head()
    assert "one();" not in head
    assert head.index("ring();") < head.index("other();")


def test_the_window_sends_every_script_and_style_once():
    demo = build(Sessions(lambda token: None))
    props = [component["props"] for component in demo.get_config_file()["components"]]
    lines = [own["js_on_load"] for own in props if "js_on_load" in own]
    named = set(re.findall(r"lens\.widgets\.(\w+) = ", page_head()))
    assert len(lines) > 60
    called = [
        re.fullmatch(r"window\.latticelens\.widgets\.(\w+)\([^)]*\);( // \"\w+\")*", line) for line in lines
    ]
    assert {found.group(1) for found in called if found} == named
    assert [own for own in props if own.get("css_template")] == []


def test_what_the_opening_names_does_not_grow_with_the_window():
    demo = build(Sessions(lambda token: None))
    listeners = demo.get_config_file()["dependencies"]
    (load,) = [one for one in listeners if one["targets"][0][1] == "load"]
    assert len(load["outputs"]) <= 6
    assert load["show_progress_on"] == [load["outputs"][0]]
    assert json.dumps(load["inputs"]).count(",") < 5
