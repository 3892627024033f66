"""Strings of the "measure" tab of the Dictionary page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_measure.purpose": (
        "How much of what is labelled the dictionary finds, and how often it is right.",
        "衡量词典覆盖了多少已有标注，以及匹配结果有多准。",
    ),
}
