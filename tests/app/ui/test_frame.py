"""What a frame does around a page's callback."""

import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from types import SimpleNamespace

import gradio as gr
import pytest

from app.i18n import _
from app.i18n.binding import Texts
from app.main import build
from app.services.errors import AppError
from app.services.session import Session, Sessions
from app.ui.frame import CHOICES, Frame
from app.ui.payload import Count, Payload
from app.ui.server_function import ServerError
from app.ui.widgets.figure_view import FigureView, figure_view


@pytest.fixture
def frame():
    sessions = Sessions(lambda token: SimpleNamespace(first_project=lambda user="", last=None: 1))
    return Frame(Texts(), sessions)


@pytest.fixture
def token(frame):
    return frame.sessions.open("lin", "zh").token


def refuse(session):
    raise AppError("Paste some text or choose a file first.")


def test_a_callback_gets_the_session_and_its_inputs(frame, token):
    call = frame._callback(lambda session, a, b: (session.user, a, b), {})
    assert call(token, "", 1, 2) == ("lin", 1, 2)


def test_an_error_becomes_a_sentence_in_the_sessions_language(frame, token):
    with pytest.raises(gr.Error) as caught:
        frame._callback(refuse, {})(token)
    assert caught.value.message == "请先粘贴文本或选择文件。"
    assert caught.value.print_exception is False


def test_a_generators_error_becomes_a_sentence_too(frame, token):
    def work(session):
        yield 1
        raise AppError("Paste some text or choose a file first.")

    stream = frame._callback(work, {})(token)
    assert next(stream) == 1
    with pytest.raises(gr.Error, match="请先粘贴文本"):
        next(stream)


def test_a_page_with_an_unknown_token_is_told_to_reload_in_every_language(frame):
    with pytest.raises(gr.Error, match=r"Reload the page.*请刷新页面"):
        frame._callback(refuse, {})("token of yesterday")


@pytest.mark.parametrize("count", [1, 3])
def test_a_page_that_is_still_opening_changes_nothing(frame, count):
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        boxes = {f"box {number}": gr.Textbox() for number in range(count)}
        frame.on([gr.Button().click], refuse, [], boxes)
    (listener,) = demo.fns.values()
    assert list(listener.fn("").values()) == [gr.skip()]


@dataclass
class Inside:
    table: gr.Textbox


@dataclass
class Components:
    message: gr.Textbox
    inside: Inside
    rows: list[gr.Textbox]
    by_name: dict[str, gr.Textbox]
    figure: FigureView


@pytest.fixture
def components(frame):
    with gr.Blocks(analytics_enabled=False):
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        made = Components(
            gr.Textbox(),
            Inside(gr.Textbox()),
            [gr.Textbox()],
            {"left": gr.Textbox()},
            figure_view("a-figure"),
        )
        frame.name(made)
        yield made


def answering(frame, outputs, answer):
    """What gradio is given for what a callback with these outputs answers."""
    token = frame.sessions.open("lin", "en").token
    return frame._callback(lambda session: answer, frame.named(outputs))(token)


def test_a_callback_fills_components_by_the_names_of_their_fields(frame, components):
    c = components
    outputs = [c.message, c.inside.table, c.rows[0], c.by_name["left"], c.figure.plot]
    assert frame.named(outputs).keys() == {"message", "table", "rows_0", "left", "figure"}
    assert answering(frame, outputs, {"table": 2, "figure": 5}) == {c.inside.table: 2, c.figure.plot: 5}
    assert answering(frame, outputs, {}) == {c.message: gr.skip()}, "what is left out stays as it is"


@pytest.mark.parametrize("answer", [{"tabel": 1}, ("a", "b"), None, "a", gr.skip()])
def test_a_name_that_is_none_of_the_outputs_is_an_error(frame, components, answer):
    with pytest.raises(gr.Error, match="Something went wrong"):
        answering(frame, [components.message, components.inside.table], answer)


def test_ambiguous_outputs_are_refused_at_build_time(frame, components):
    with pytest.raises(ValueError, match="has no name"):
        frame.named([components.message, frame.token])
    with pytest.raises(ValueError, match="not the only one called 'message'"):
        frame.named([components.message, components.message])


def test_a_single_output_takes_a_bare_value_and_names_may_be_given(frame, components):
    assert answering(frame, [components.message], "x") == "x"
    named = {"one": components.message, "other": frame.token}
    assert answering(frame, named, {"other": 1}) == {frame.token: 1}


class Number(Payload):
    n: Count


def echo(session: Session, asked: Number):
    return {"user": session.user, "n": asked.n}


def test_a_server_function_gets_its_checked_payload(frame, token):
    served = frame.server(echo)
    assert served.__name__ == "echo"
    assert served({"token": token, "n": 1}) == {"ok": True, "user": "lin", "n": 1}


@pytest.mark.parametrize("n", ["1", True])
def test_a_payload_of_another_form_is_refused_in_a_sentence_and_its_field_logged(frame, token, n, caplog):
    said = "页面发来的内容无法识别。请刷新页面后重试；已保存的内容都在。"
    assert frame.server(echo)({"token": token, "n": n}) == {"ok": False, "code": "invalid", "message": said}
    assert f"refused: n: Input should be a valid integer, got {type(n).__name__}" in caplog.text


def test_a_server_function_may_have_no_payload(frame, token):
    assert frame.server(lambda session: {"user": session.user})({"token": token}) == {
        "ok": True,
        "user": "lin",
    }


@pytest.mark.parametrize("fn", [lambda session, payload: payload, lambda session, one, two: {}])
def test_a_server_function_that_declares_no_payload_is_refused_as_the_window_is_built(frame, fn):
    with pytest.raises(TypeError, match="one Payload"):
        frame.server(fn)


@pytest.mark.parametrize(
    "payload", [None, "x", 5, [], {}, {"token": None}, {"token": ["a"]}, {"token": "guess"}]
)
def test_a_server_function_refuses_strangers_without_raising(frame, payload):
    told = frame.server(echo)(payload)
    assert (told["ok"], told["code"]) == (False, "session")
    assert "Reload the page" in told["message"]
    assert "请刷新页面" in told["message"]


def test_a_server_functions_error_is_a_sentence_in_the_sessions_language(frame, token):
    assert frame.server(refuse)({"token": token}) == {
        "ok": False,
        "code": "failed",
        "message": "请先粘贴文本或选择文件。",
    }


def test_an_error_with_a_code_brings_it_and_its_details(frame, token):
    def stale(session):
        raise ServerError("conflict", AppError("Paste some text or choose a file first."), current=2)

    told = frame.server(stale)({"token": token})
    assert (told["code"], told["message"], told["current"]) == ("conflict", "请先粘贴文本或选择文件。", 2)


# Pages that everybody may see: the fixtures have no workspace to ask.
@pytest.fixture
def two_pages(frame):
    """A window of two pages with one box each, and what their fillings were called with."""
    filled = []

    def fill(page):
        def show(session, given):
            filled.append((page, session.page))
            return f"{page} {given}"

        return show

    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved, *boxes = (gr.Textbox() for _ in range(4))
        with gr.Tabs():
            for page in ("settings", "annotate"):
                frame.tab[page] = gr.Tab(page)
        for page, box in zip(("settings", "annotate"), boxes, strict=True):
            frame.on_show(page, fill(page), [box], [box])
        frame.fill_when_moved(first="annotate")
    return demo, boxes, filled


def test_a_page_is_filled_by_itself_alone_when_the_project_changes(frame, token, two_pages):
    demo, boxes, filled = two_pages
    fill_settings, show_annotate, fill_annotate = [listener.fn for listener in demo.fns.values()][1:4]
    ends = []
    for fill, box, given in (
        (show_annotate, boxes[1], "annotate 2"),
        (fill_annotate, boxes[1], "annotate 2"),
        (fill_settings, boxes[0], "settings 3"),
    ):
        page, value = given.split()
        answers = fill(token, "", value, "")
        assert answers.pop(box) == given
        (end,) = answers.values()
        assert end.startswith(f"{page}|")
        ends.append(end)
    assert len(set(ends)) == 3, "the browser hears of every filling"
    assert filled == [("annotate", "annotate"), ("annotate", "annotate"), ("settings", "settings")]
    told = demo.get_config_file()["dependencies"][1:4:2]
    held = told[0]["inputs"][-1]  # the box that tells what the inputs hold already
    assert [listener["inputs"] for listener in told] == [
        [frame.token._id, frame.moved._id, box._id, held] for box in boxes
    ]
    ended = [listener["outputs"][-1] for listener in told]
    assert [listener["outputs"][:-1] for listener in told] == [[box._id] for box in boxes]
    assert len(set(ended)) == 2, "a box that both fill would keep the last of two answers that come together"


def test_the_browser_hands_a_move_on_without_asking_the_app(two_pages):
    demo = two_pages[0]
    hand_on, again = demo.get_config_file()["dependencies"][-2:]
    assert hand_on["backend_fn"] is again["backend_fn"] is False
    assert again["js"] == '() => window.latticelens.fillAgain(["settings", "annotate"])'
    assert (
        hand_on["js"] == '(moved) => window.latticelens.handOn(moved, ["settings", "annotate"], "annotate")'
    )
    assert len(hand_on["outputs"]) == 2


def test_a_page_is_filled_by_one_request(frame, token):
    session = frame.sessions.find(token)
    with gr.Blocks(analytics_enabled=False):
        frame.token, one, two, three = (gr.Textbox() for _ in range(4))
        frame.tab["settings"] = gr.Tab("settings")
        frame.on_show("settings", lambda session, a: {"one": f"one {a}"}, {"one": one, "two": two}, [three])
        frame.on_show("settings", lambda session, a, b: f"three {a} {b}", [three], [one, two])
    filling = frame.filling("settings")
    assert filling.inputs == [three, one, two]
    assert filling.outputs == [one, two, three]
    assert filling.fn(session, "x", "y", "z") == {one: "one x", three: "three y z"}


def test_two_fillings_of_a_page_may_update_different_properties_of_one_component(frame, token):
    with gr.Blocks(analytics_enabled=False):
        frame.token, box = gr.Textbox(), gr.Dropdown()
        frame.tab["settings"] = gr.Tab("settings")
        frame.on_show("settings", lambda session: gr.update(choices=["a"], value="a"), [box])
        frame.on_show("settings", lambda session: gr.update(visible=False, value=None), [box])
    answers = frame.filling("settings").fn(frame.sessions.find(token))
    assert answers == {box: gr.update(choices=["a"], visible=False, value=None)}


@pytest.fixture
def searching(frame):
    """A page that searches when it is shown, and a button that changes what is beside the list."""
    with gr.Blocks(analytics_enabled=False):
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        frame.tab["settings"] = gr.Tab("settings")
        frame.page = "settings"
        made = SimpleNamespace(
            search=gr.Textbox("*"),
            kind=frame.texts.bind(
                gr.Radio(), chosen="any", choices=[(_("any"), "any"), (_("label"), "label")]
            ),
            rows=gr.Textbox(),
            result=gr.Column(visible=False),
            again=frame.texts.bind(gr.Button(interactive=False), value=_("Tag")),
            button=gr.Button(),
        )
        frame.on([made.button.click], lambda session: {}, [], {"result": made.result, "again": made.again})
        frame.on_show(
            "settings", lambda session, *asked: " ".join(asked), [made.rows], [made.search, made.kind]
        )
        frame.page = None
        yield made


def test_a_page_begins_afresh_in_another_project_and_only_then(frame, token, searching):
    session, filling = frame.sessions.find(token), frame.filling("settings")
    assert filling.fn(session, "Anna", "label") == {searching.rows: "Anna label"}
    session.turn_to(2)
    assert filling.fn(session, "Anna", "label") == {
        searching.rows: "* any",
        searching.search: gr.update(value="*", visible=True, interactive=None),
        searching.kind: gr.update(value="any", visible=True, interactive=None),
        searching.result: gr.update(visible=False),
        searching.again: gr.update(visible=True, interactive=False),
    }
    assert filling.fn(session, "Bela", "label") == {searching.rows: "Bela label"}


def test_a_filling_that_fails_is_told_to_the_page_in_the_persons_language(frame, token):
    def refuse(session):
        raise AppError("Paste some text or choose a file first.")

    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved, box = (gr.Textbox() for _ in range(3))
        frame.tab["settings"] = gr.Tab("settings")
        frame.on_show("settings", refuse, [box])
        frame.fill_when_moved()
    fill = next(iter(demo.fns.values())).fn
    ((told, said),) = fill(token, "", "").items()
    assert told is frame.told["settings"]
    page, count, why = said.split("|", 2)
    assert (page, count.isdecimal(), why) == ("settings", True, "请先粘贴文本或选择文件。")


def test_what_an_input_holds_already_is_not_set_again(frame, token):
    words, kinds = gr.update(value="a", choices=["a"]), gr.update(value="b", visible=True)
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        boxes = search, kind, listed = gr.Textbox(), gr.Radio(), gr.Dropdown()
        frame.tab["settings"] = gr.Tab("settings")
        frame.on_show(
            "settings",
            lambda session, *asked: {"search": "Anna", "kind": kinds, "listed": words},
            {"search": search, "kind": kind, "listed": listed},
            boxes,
        )
        frame.fill_when_moved()
    session, (fill, *_) = frame.sessions.find(token), [listener.fn for listener in demo.fns.values()]

    def show(*given):
        answers = fill(token, "", *given)
        return {box: answers[box] for box in boxes}

    held = '{"held": [0, 1, 2], "project": null}'
    set_anew = {search: "Anna", kind: kinds, listed: words}
    assert show("Anna", "b", "a", "") == set_anew, "the address alone says so"
    left_alone = {search: gr.skip(), kind: gr.update(visible=True), listed: words}
    assert show("Anna", "b", "a", held) == left_alone
    assert show("Bela", "c", "a", held) == set_anew, "the page says otherwise"
    session.turn_to(2)
    afresh = show("Anna", "b", "a", held)
    assert (afresh[search], afresh[kind]["value"], afresh[listed]["value"]) == ("Anna", "b", "a")


def test_the_place_turned_to_last_is_shown_however_long_an_earlier_one_takes(frame, token):
    """A slow answer to the earlier place came after the later one's, and stayed."""
    begun, go_on, drawn = threading.Event(), threading.Event(), []

    def show(session, run):
        if run == "slow":
            begun.set()
            go_on.wait(60)
        drawn.append(run)
        return run

    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved, run = (gr.Textbox() for _ in range(3))
        frame.tab["settings"] = gr.Tab("settings")
        frame.on_show("settings", show, [run], [run])
        frame.fill_when_moved()
    shown, again = [listener.fn for listener in demo.fns.values()][:2]
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(shown, token, "", "slow", "")
        assert begun.wait(60)
        later = threads.submit(again, token, "", "later", "")
        with pytest.raises(FutureTimeout):
            later.result(0.2)
        go_on.set()
        assert (slow.result(60)[run], later.result(60)[run]) == ("slow", "later")
    assert drawn == ["slow", "later"]
    assert frame.sessions.find(token).fillings.keys() == {("", "settings", 0)}


def test_a_page_that_failed_in_a_new_project_begins_afresh_the_next_time(frame, token, searching):
    frame.on_show("settings", refuse, {"message": searching.result})
    session = frame.sessions.find(token)
    session.turn_to(2)
    for _again in range(2):
        with pytest.raises(AppError):
            frame.filling("settings").fn(session, "Anna", "label")
    assert session.filled == {}


def test_an_answer_about_the_former_project_is_dropped(frame, token):
    session = frame.sessions.find(token)

    def work(own):
        yield own.project_id
        session.turn_to(2)
        assert own.project_id == 1, "a call stays in the project that it was made in"
        own.memory["words"] = "of the project before"
        yield own.project_id

    assert list(frame._callback(work, {})(token)) == [1, gr.skip()]
    assert session.memory == {}
    assert frame._callback(lambda own: session.turn_to(1) or 3, {})(token) == gr.skip()
    frame.moved = gr.Textbox(render=False)
    moving = {"moved": frame.moved}
    assert frame._callback(lambda session: session.turn_to(3) or {"moved": 4}, moving)(token) == {
        frame.moved: 4
    }
    assert session.project_id == 3


@pytest.mark.parametrize(
    ("page", "shown", "refused"),
    [("settings", 2, True), ("settings", 1, False), (None, 2, False), ("settings", None, False)],
)
def test_what_is_asked_on_a_page_that_shows_another_project_is_refused(frame, token, page, shown, refused):
    frame.page = page
    moved = "" if shown is None else f"en|lin|{token}|{shown}|||7"
    if refused:
        with pytest.raises(gr.Error, match="其间已切换到别的项目"):
            frame._callback(lambda session: 3, {})(token, moved)
        with pytest.raises(gr.Error, match="其间已切换到别的项目"):
            next(frame._callback(lambda session: (yield 3), {})(token, moved))
    else:
        assert frame._callback(lambda session: 3, {})(token, moved) == 3
    for fn in (lambda session: 3, lambda session: (yield 3)):
        answer = frame._callback(fn, {}, unasked=True)(token, moved)
        answered = next(answer) if inspect.isgenerator(answer) else answer
        assert answered == (gr.skip() if refused else 3), "a clock tells no person"
    asked = frame.server(lambda session: {"project": session.project_id})({"token": token, "project": shown})
    assert asked == ({**asked, "ok": False, "code": "moved"} if refused else {"ok": True, "project": 1})


def test_a_server_function_and_its_work_stay_in_the_project_they_were_asked_in(frame, token):
    live, kept = frame.sessions.find(token), []

    def begin(session):
        kept.append(session)
        live.turn_to(2)
        return {"project": session.project_id}

    assert frame.server(begin)({"token": token})["project"] == 1
    assert (kept[0].project_id, kept[0].is_left, live.project_id) == (1, True, 2)


def test_a_page_that_shows_another_project_is_not_filled_but_says_so(frame, token, two_pages):
    demo, _boxes, filled = two_pages
    show_annotate = [listener.fn for listener in demo.fns.values()][2]
    (told,) = show_annotate(token, "", "annotate 2", '{"held": [], "project": 2}').values()
    assert told.startswith("annotate|")
    assert told.endswith("其间已切换到别的项目，因此没有执行这项操作。请刷新页面，再试一次。")
    assert filled == []


def test_what_is_drawn_later_belongs_to_its_page_too(frame, token):
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        frame.on([gr.Button().click], lambda session: 3, page="settings")
        frame.on([gr.Button().click, gr.Timer().tick], lambda session: 3, page="settings")
    by_hand, by_clock = [listener.fn for listener in demo.fns.values()]
    with pytest.raises(gr.Error, match="其间已切换到别的项目"):
        by_hand(token, "en|lin|t|2|||7")
    assert by_clock(token, "en|lin|t|2|||7") == gr.skip()


def test_every_endpoint_is_private(frame):
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        event = frame.on([gr.Button().click], lambda session: None)
        frame.then(event, lambda session: None)
    assert {listener.api_visibility for listener in demo.fns.values()} == {"private"}


def test_a_quiet_event_shows_progress_on_the_token_only(frame):
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved, *boxes = (gr.Textbox() for _ in range(5))
        named = {str(number): box for number, box in enumerate(boxes)}
        event = frame.on([gr.Button().click], lambda session: {}, [], named)
        frame.then(event, lambda session: {}, [], named)
        frame.on([gr.Button().click], lambda session: {}, [], named, show_progress="minimal")
        frame.on(
            [gr.Button().click],
            lambda session: {},
            [],
            named,
            show_progress="full",
            show_progress_on=[boxes[0]],
        )
    told = [listener["show_progress_on"] for listener in demo.get_config_file()["dependencies"]]
    assert told == [[frame.token._id], [frame.token._id], None, [boxes[0]._id]]


@pytest.fixture
def controls(frame):
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        yield SimpleNamespace(
            demo=demo, picker=gr.Dropdown(), text=gr.Textbox(), button=gr.Button(), timer=gr.Timer()
        )


def test_a_choice_made_during_a_call_is_kept(frame, controls):
    frame.on([controls.picker.input, controls.text.submit], refuse)
    frame.on(controls.picker.select, refuse)
    frame.on([controls.picker.change, controls.timer.tick], refuse)
    assert [fn.trigger_mode for fn in controls.demo.fns.values()] == ["always_last"] * 3


def test_a_button_pressed_again_while_it_works_does_nothing_more(frame, controls):
    frame.on([controls.button.click], refuse)
    frame.on([controls.picker.input, controls.button.click], refuse)
    frame.on([controls.picker.input], refuse, trigger_mode="once")
    assert [fn.trigger_mode for fn in controls.demo.fns.values()] == ["once"] * 3


def test_no_choice_anywhere_in_the_app_is_dropped(frame):
    demo = build(frame.sessions)
    dropped = [
        [(demo.blocks[id_].elem_id, event) for id_, event in fn.targets if id_ in demo.blocks]
        for fn in demo.fns.values()
        if {event for _, event in fn.targets} & CHOICES
        and "click" not in {event for _, event in fn.targets}
        and fn.trigger_mode == "once"
        and not any(isinstance(demo.blocks.get(id_), gr.HTML) for id_, _ in fn.targets)
    ]
    assert dropped == []
    held = [fn for fn in demo.fns.values() if fn.trigger_mode == "always_last"]
    assert len(held) > 40
    assert not any(event == "click" for fn in held for _, event in fn.targets)
