"""The device is found in the background, and a missing one falls back with the reason."""

from app.services.device import DeviceProbe, describe


def test_the_probe_finds_the_cpu_and_says_why_in_both_languages():
    info = DeviceProbe("cpu").wait(60)
    assert info is not None
    assert info.name == "cpu"
    assert "CPU" in info.why("en")
    assert "CPU" in info.why("zh")
    assert info.why("en") != info.why("zh")


def test_a_device_that_is_not_there_falls_back_and_says_so():
    info = DeviceProbe("cuda:99").wait(60)
    assert info is not None
    assert info.name != "cuda:99"
    assert "cuda:99 was asked for" in info.why("en")


def test_while_probing_the_bar_says_so():
    assert describe(None, "en") == ("…", "checking the device")
    assert DeviceProbe("cpu").info is None
