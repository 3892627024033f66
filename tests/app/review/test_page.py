"""The Review page's answers: blind until decided, one's own project only, nothing merged unseen."""

from types import SimpleNamespace

import pytest

from app.i18n.binding import Texts
from app.review import page as review
from app.review.case import Options
from app.services.errors import AppError
from app.services.session import Sessions
from app.ui.frame import Frame
from app.ui.payload import InvalidPayload, read_payload
from core.store import Workspace  # fmt: skip
from core.store.annotation import annotations
from core.store.annotation.regions import Stretch
from core.store.db.errors import NotFound, PayloadError
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.project.members import NotAllowed
from core.store.review import adjudications
from core.store.run import predictions, runs
from core.text import EntityLink, LabelSet, Span
from tests.app.asking import asked
from tests.store.by_hand import mark_own, save_own
from tests.store.separate import separate
from tests.workspaces import new_workspace

PER, SHORT, LONG, TITLE = Span(0, 3, "PER"), Span(7, 11, "ORG"), Span(7, 15, "ORG"), Span(15, 17, "TITLE")
OPTIONS = {"strategy": "majority", "threshold": 2, "unfinished": False, "tagger_votes": False}


@pytest.fixture
def team(tmp_path):
    with Workspace.open(new_workspace(tmp_path)) as workspace:
        project = projects.create(workspace, "news")
        labels.put(workspace, project.id, LabelSet().extended(["PER", "ORG", "TITLE"]))
        made = separate(workspace, project)
        run = runs.create(workspace, project.id, "flat").name
        predictions.put_one(workspace, run, made.ids[0], [Span(*one.key, 0.9) for one in (LONG, TITLE)])
        projects.set_active(workspace, project.id, run)
        save_own(workspace, made.ids[0], 0, [PER, SHORT], user="ana", status="done")
        save_own(workspace, made.ids[0], 0, [PER, LONG], user="bo", status="done")
        yield made


@pytest.fixture
def sessions(team):
    bench = SimpleNamespace(workspace=team.workspace, first_project=lambda user="", last=None: team.project)
    return Sessions(lambda token: bench)


@pytest.fixture
def rui(sessions):
    return sessions.open("rui", "en")


def ask(team, **more):
    return {"document": team.ids[0], **OPTIONS, **more}


def plain(*spans):
    return [{"start": span.start, "end": span.end, "label": span.label} for span in spans]


def test_the_taggers_word_is_not_sent_before_the_decision(team, rui):
    case = asked(review.review_open, rui, ask(team))
    boundary = next(one for one in case["differences"] if one["kind"] == "boundary")
    assert [one["tagger"] for one in boundary["candidates"]] == [None, None]
    assert case["only_tagger"] == []
    decided = asked(review.review_decide, rui, ask(team, accept=plain(SHORT), refuse=plain(LONG)))
    boundary = next(one for one in decided["differences"] if one["kind"] == "boundary")
    assert {one["end"]: one["tagger"] for one in boundary["candidates"]} == {15: True, 11: False}
    assert decided["only_tagger"] == plain(TITLE)


def test_the_taggers_vote_is_not_revealed(team, rui):
    without, with_vote = (
        asked(review.review_open, rui, ask(team, tagger_votes=vote)) for vote in (False, True)
    )
    assert with_vote == without


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"strategy": "majority"}, (PER,)),
        ({"strategy": "unanimous"}, (PER,)),
        ({"strategy": "threshold", "threshold": 1}, (PER, LONG, SHORT)),
        ({"strategy": "majority", "tagger_votes": True}, (PER, LONG)),
        ({"strategy": "unanimous", "tagger_votes": True}, (PER,)),
        ({"strategy": "threshold", "threshold": 9}, (PER,)),
    ],
)
def test_finishing_without_a_decision_goes_by_the_strategy(team, rui, options, expected):
    shown = asked(review.review_open, rui, ask(team, **options))
    asked(review.review_finish, rui, ask(team, seen=shown["seen"], **options))
    assert documents.get(team.workspace, team.ids[0]).spans == expected
    again = asked(review.review_open, rui, ask(team))
    assert again["open"] == 0  # settled by the strategy, so not asked again


def test_a_decision_overrides_every_strategy_and_survives_new_annotation(team, rui):
    shown = asked(
        review.review_decide, rui, ask(team, accept=plain(SHORT), refuse=plain(LONG), category="boundary")
    )
    asked(review.review_finish, rui, ask(team, seen=shown["seen"]))
    save_own(team.workspace, team.ids[0], 1, [PER, LONG, TITLE], user="ana")
    (row,) = asked(review.review_list, rui, {"state": "changed"})["rows"]
    assert row["id"] == team.ids[0]
    case = asked(review.review_open, rui, ask(team))
    assert [one["candidates"][0]["label"] for one in case["differences"] if not one["decided"]
            and one["kind"] != "unanimous"] == ["TITLE"]  # fmt: skip
    asked(review.review_finish, rui, ask(team, seen=case["seen"]))
    assert documents.get(team.workspace, team.ids[0]).spans == (PER, SHORT)


def test_what_another_reviewer_agreed_meanwhile_is_not_replaced_unseen(team, sessions, rui):
    shown = asked(review.review_open, rui, ask(team))
    mia = sessions.open("mia", "en")
    asked(review.review_finish, mia, ask(team, seen=asked(review.review_open, mia, ask(team))["seen"]))
    gold = annotations.current(team.workspace, team.ids[0])
    with pytest.raises(AppError, match="Somebody saved"):
        asked(review.review_finish, rui, ask(team, seen=shown["seen"]))
    assert annotations.current(team.workspace, team.ids[0]) == gold


def test_annotations_saved_during_review_are_not_merged_unseen(team, rui):
    shown = asked(review.review_open, rui, ask(team))
    save_own(team.workspace, team.ids[0], 1, [], user="bo")
    for seen in (shown["seen"], None, {}, "all", {"ana": 1}):
        with pytest.raises(AppError):
            asked(review.review_finish, rui, ask(team, seen=seen))
    assert documents.get(team.workspace, team.ids[0]).spans == ()


def test_unfinished_versions_are_shown_by_choice_only(team, rui):
    save_own(team.workspace, team.ids[2], 0, [Span(0, 2, "ORG")], user="ana")
    wanted = ask(team) | {"document": team.ids[2]}
    assert asked(review.review_open, rui, wanted)["versions"] == []
    (version,) = asked(review.review_open, rui, wanted | {"unfinished": True})["versions"]
    assert (version["user"], version["status"]) == ("ana", "in_progress")


def test_the_list_counts_previews_and_takes_back(team, rui):
    for user in ("ana", "bo"):
        save_own(team.workspace, team.ids[1], 0, [], user=user, status="done")
    listed = asked(review.review_list, rui, {"state": "ready"})
    assert [row["id"] for row in listed["rows"]] == list(team.ids[:2])
    assert listed["unanimous"] == {"count": 1, "names": ["1"]}
    done = asked(review.review_merge_unanimous, rui, {"batch": 0})
    assert done["merged"] == 1
    assert asked(review.review_merge_unanimous, rui, {"batch": done["batch"]})["merged"] == 0
    assert asked(review.review_list, rui, {"state": "ready"})["last"] == {"batch": done["batch"], "count": 1}
    assert asked(review.review_undo, rui, {"batch": done["batch"]}) == {"undone": 1, "kept": 0}


def test_annotators_and_strangers_are_refused_everywhere(team, sessions):
    for user in ("ana", "stranger"):
        session = sessions.open(user, "en")
        for call, payload in (
            (review.review_list, {"state": "ready"}),
            (review.review_open, ask(team)),
            (review.review_decide, ask(team, accept=plain(PER))),
            (review.review_take_back, ask(team, spans=plain(PER))),
            (review.review_finish, ask(team, seen={"ana": 1, "bo": 1})),
            (review.review_ask_tagger, ask(team)),
            (review.review_merge_unanimous, {"batch": 0}),
            (review.review_undo, {"batch": 1}),
        ):
            with pytest.raises(NotAllowed):
                asked(call, session, payload)


def test_a_document_of_another_project_is_not_there(team, rui):
    rui.turn_to(projects.create(team.workspace, "mine").id)
    for call in (review.review_open, review.review_decide, review.review_finish):
        with pytest.raises(NotFound):
            asked(call, rui, ask(team, seen={}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"strategy": "loudest"}, {"strategy": 3}, {"threshold": -1}, {"threshold": "2"},
        {"unfinished": "yes"}, {"tagger_votes": 1},
    ],
)  # fmt: skip
def test_options_that_no_page_sends_are_refused(wrong):
    with pytest.raises(InvalidPayload):
        read_payload(Options, OPTIONS | wrong)
    assert read_payload(Options, OPTIONS) == Options()


@pytest.mark.parametrize(
    "wrong",
    [
        {"accept": "all"}, {"accept": [7]}, {"accept": [{"start": 3, "end": 1, "label": "PER"}]},
        {"accept": [{"start": 0, "end": 999, "label": "PER"}]}, {"refuse": [{"start": 0}]},
        {"accept": plain(PER) * 2000}, {"note": 4}, {"note": "x" * 2001, "refuse": plain(PER)},
        {"category": ":majority", "refuse": plain(PER)}, {"document": "1"}, {"document": True},
    ],
)  # fmt: skip
def test_invalid_decisions_are_refused_and_not_stored(team, rui, wrong):
    with pytest.raises((InvalidPayload, PayloadError)):
        asked(review.review_decide, rui, ask(team) | wrong)
    assert all(not one["decided"] for one in asked(review.review_open, rui, ask(team))["differences"])


def test_an_error_reaches_the_page_as_a_sentence_in_its_language(team, sessions):
    session = sessions.open("ana", "zh")
    frame = Frame(Texts(), sessions)
    answer = frame.server(review.review_open)({"token": session.token, **ask(team)})
    assert "标注者" in answer["message"]


def test_a_batch_that_is_not_ones_own_is_not_undone(team, rui, sessions):
    shown = asked(review.review_open, rui, ask(team))
    batch = asked(review.review_finish, rui, ask(team, seen=shown["seen"]))["batch"]
    with pytest.raises(Exception, match="nothing left"):
        asked(review.review_undo, sessions.open("mia", "en"), {"batch": batch})
    assert adjudications.last_batch(team.workspace, team.project, by="rui") == (batch, 1)


def test_outside_annotated_regions_of_an_unfinished_version_silence_is_no_vote(team, rui):
    document = team.ids[2]
    length = len(documents.get(team.workspace, document).text)
    save_own(team.workspace, document, 0, [PER, Span(3, 5, "ORG")], user="ana", action="label_others")
    mark_own(team.workspace, document, [Stretch(0, 3, True)], user="bo")
    save_own(team.workspace, document, 0, [PER], user="bo", action="label_others")
    wanted = ask(team, document=document, unfinished=True, strategy="unanimous")
    case = asked(review.review_open, rui, wanted)
    assert {one["user"]: (one["annotated"], one["seen"]) for one in case["versions"]} == {
        "ana": ([], 0), "bo": ([[0, 3]], 42),
    }  # fmt: skip
    assert case["unseen"] == 58
    assert length == 7
    kinds = {one["candidates"][0]["label"]: one["kind"] for one in case["differences"]}
    assert kinds == {"PER": "unanimous", "ORG": "unseen"}
    assert [one["silent"] for one in case["differences"][-1]["candidates"]] == [["bo"]]
    assert case["merged"] == plain(PER, Span(3, 5, "ORG"))
    mark_own(team.workspace, document, [Stretch(0, 7, True)], user="bo")
    with pytest.raises(AppError):
        asked(review.review_finish, rui, wanted | {"seen": case["seen"]})
    case = asked(review.review_open, rui, wanted)
    assert (case["unseen"], case["merged"]) == (0, plain(PER))
    asked(review.review_finish, rui, wanted | {"seen": case["seen"]})
    assert annotations.current(team.workspace, document).document.spans == (PER,)


def test_a_reviewer_chooses_between_the_links_of_two_people_or_another_or_none(team, rui):
    berlin, mills, third = EntityLink("Q64", "Berlin"), EntityLink("Q82"), EntityLink("Q9", "Nine", "numbers")
    for user, link in (("ana", berlin), ("bo", mills)):
        save_own(team.workspace, team.ids[1], 0, [Span(0, 2, "PER", link=link)], user=user, status="done")
    at = {"document": team.ids[1], **OPTIONS}

    def choose(link):
        spans = [{"start": 0, "end": 2, "label": "PER"} | ({} if link is None else {"link": link.to_json()})]
        (told,) = asked(review.review_choose_links, rui, at | {"spans": spans})["links"]
        return told.get("link"), told["chosen_by"]

    (told,) = asked(review.review_open, rui, at)["links"]
    assert "link" not in told
    assert [(one["user"], one["link"]["id"]) for one in told["given"]] == [("ana", "Q64"), ("bo", "Q82")]
    assert choose(mills) == ({"id": "Q82"}, "rui")
    assert choose(None) == (None, "rui")
    assert choose(third) == (third.to_json(), "rui")
    case = asked(review.review_drop_links, rui, at | {"spans": plain(Span(0, 2, "PER"))})
    assert "link" not in case["merged"][0]
    choose(third)
    case = asked(review.review_open, rui, at)
    assert case["merged"][0]["link"] == third.to_json()
    asked(review.review_finish, rui, at | {"seen": case["seen"]})
    (event, *_) = annotations.history(team.workspace, team.ids[1])[::-1]
    assert documents.get(team.workspace, team.ids[1]).spans[0].link == third
    assert (event.action, [span.link for span in event.added]) == ("review", [third])


def test_a_link_that_cannot_be_is_refused_and_nothing_is_chosen(team, rui):
    for link in ({"id": ""}, {"id": "x\ny"}, {"id": 7}, "Q64", {"id": "x" * 300}):
        spans = [{"start": 0, "end": 3, "label": "PER", "link": link}]
        with pytest.raises(InvalidPayload):
            asked(review.review_choose_links, rui, ask(team, spans=spans))
    with pytest.raises(NotFound):
        asked(review.review_choose_links, rui, ask(team, spans=[]) | {"document": 10**6})
    assert asked(review.review_open, rui, ask(team))["links"] == []
