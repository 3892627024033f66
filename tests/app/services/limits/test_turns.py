"""Whoever asks much waits for themselves; threads of the server are never all held by those who wait."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from app.services.limits.refusals import OverLimit
from app.services.limits.turns import Turns, patient
from tests.app.services.limits.held import Held, until


def test_one_of_each_person_at_a_time_and_another_person_meanwhile():
    turns, held = Turns(at_once=2), Held()
    with ThreadPoolExecutor(4) as threads:
        for who in ("lin", "lin", "ana"):
            threads.submit(held.hold, turns, who)
        until(lambda: sorted(held.inside) == ["ana", "lin"])
        held.go_on.set()
    assert sorted(held.order) == ["ana", "lin", "lin"]


def test_those_who_wait_are_let_in_in_their_order():
    turns, held = Turns(at_once=1), Held()
    with ThreadPoolExecutor(4) as threads:
        for number, who in enumerate(("a", "b", "c", "d")):
            threads.submit(held.hold, turns, who)
            until(lambda number=number: len(turns._in) + len(turns._waiting) == number + 1)
        held.go_on.set()
    assert held.order == ["a", "b", "c", "d"]


def test_too_many_of_one_person_or_of_all_are_refused_with_when_to_try_again():
    turns, held = Turns(at_once=1, each=2, everybody=3), Held()
    with ThreadPoolExecutor(4) as threads:
        for number, who in enumerate(("lin", "lin", "ana")):
            threads.submit(held.hold, turns, who)
            until(lambda number=number: len(turns._bounded) == number + 1)
        for who, said in (("lin", "Your earlier questions"), ("mia", "Many people")):
            with pytest.raises(OverLimit, match=said) as refused, turns.turn(who):
                pytest.fail("there is no room")
            assert (refused.value.limit, refused.value.status) == ("questions", 429)
            assert refused.value.headers == {"Retry-After": "5"}
        held.go_on.set()
    with turns.turn("mia"):  # all have left
        assert turns._bounded == ["mia"]


def test_long_work_waits_however_many_wait_and_a_thread_goes_on_with_its_turn():
    turns, held = Turns(at_once=1, each=1, everybody=1), Held()

    def work():
        patient.set(True)
        with turns.turn("lin"), turns.turn("lin"):
            held.order.append("work")

    with ThreadPoolExecutor(2) as threads:
        threads.submit(held.hold, turns, "lin")
        until(lambda: held.inside == ["lin"])
        done = threads.submit(copy_context().run, work)
        until(lambda: len(turns._waiting) == 1)
        held.go_on.set()
        done.result(timeout=60)
    assert held.order == ["lin", "work"]


def test_long_work_leaves_a_turn_to_questions():
    turns, work, questions = Turns(at_once=2), Held(), Held()

    def long(who):
        patient.set(True)
        work.hold(turns, who)

    with ThreadPoolExecutor(3) as threads:
        threads.submit(copy_context().run, long, "lin")
        until(lambda: work.inside == ["lin"])
        threads.submit(copy_context().run, long, "ana")
        until(lambda: len(turns._waiting) == 1)
        threads.submit(questions.hold, turns, "mia")
        until(lambda: questions.inside == ["mia"])  # past the work that came before
        assert work.inside == ["lin"]
        questions.go_on.set()
        work.go_on.set()
    assert work.order == ["lin", "ana"]


def test_whoever_waits_is_told_behind_how_many_others():
    turns, held = Turns(at_once=1), Held()
    with ThreadPoolExecutor(4) as threads:
        for number, who in enumerate(("lin", "lin", "ana", "mia")):
            threads.submit(held.hold, turns, who)
            until(lambda number=number: len(turns._in) + len(turns._waiting) == number + 1)
        assert [turns.ahead(who) for who in ("lin", "ana", "mia", "nobody")] == [0, 1, 2, 0]
        assert [turns.ahead(who, uncounted="lin") for who in ("ana", "mia")] == [0, 1]
        held.go_on.set()
    assert turns.ahead("mia") == 0


def test_an_error_inside_ends_the_turn():
    turns = Turns(at_once=1, each=1)
    with pytest.raises(ZeroDivisionError), turns.turn("lin"):
        1 / 0  # noqa: B018
    thread = threading.Thread(target=lambda: turns.turn("ana").__enter__())
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive()
