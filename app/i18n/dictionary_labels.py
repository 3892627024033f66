"""Strings of the "labels" tab of the Dictionary page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_labels.purpose": (
        "Label raw text with the words of the dictionary; every label keeps its source.",
        "用词典为原始文本做远程标注，每个标注都保留来源。",
    ),
}
