"""Strings of the Annotate page about patterns that suggest spans."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_patterns.title": ("Patterns", "正则表达式"),
    "annotate_patterns.open": ("edit patterns", "编辑正则表达式"),
    "annotate_patterns.help": (
        "What a pattern finds is suggested with its label. The span is the group named entity, else the "
        "first group, else the whole match. Python's syntax.",
        "正则表达式匹配到的内容会以所选标签给出建议。片段取名为 entity 的分组，否则取第一个分组，"
        "再否则取整个匹配。采用 Python 语法。",
    ),
    "annotate_patterns.none": (
        "No patterns yet. Type one above: its hits in this document are shown as you type.",
        "还没有正则表达式。请在上方输入，边输入边显示它在本文档中的匹配。",
    ),
    "annotate_patterns.deleted": ("deleted: {count}", "已删除：{count}"),
    "annotate_patterns.stopped": (
        "Stopped on this document, because they take too long ({count}): ",
        "在本文档上耗时过长，已停止（{count}）：",
    ),
    "annotate_patterns.cut": (
        "Only the first 1,000 hits are shown ({count}): ",
        "仅显示前 1000 处匹配（{count}）：",
    ),
    "annotate_patterns.pattern": ("Pattern", "正则表达式"),
    "annotate_patterns.pattern.example": (
        r"for example  No\. (?P<entity>[A-Z]{2}-\d+)",
        r"例如  编号(?P<entity>[A-Z]{2}-\d+)",
    ),
    "annotate_patterns.pattern.add": ("add", "添加"),
    "annotate_patterns.pattern.try": ("try", "试用"),
    "annotate_patterns.pattern.trash": ("delete", "删除"),
    "annotate_patterns.pattern.trash_this": ("delete the pattern {pattern}", "删除正则表达式 {pattern}"),
    "annotate_patterns.pattern.restore": ("restore", "恢复"),
    "annotate_patterns.pattern.restore_this": ("restore the pattern {pattern}", "恢复正则表达式 {pattern}"),
    "annotate_patterns.pattern.enabled": ("suggest with {pattern}", "启用 {pattern}"),
    "annotate_patterns.pattern.hits": ("{count} found in this document", "在本文档中匹配到 {count} 处"),
    "annotate_patterns.pattern.hits_cut": (
        "more than {count} found in this document; only so many are suggested",
        "在本文档中匹配超过 {count} 处，只给出这么多建议",
    ),
    "annotate_patterns.pattern.no_hit": ("nothing found in this document", "在本文档中没有匹配"),
    "annotate_patterns.pattern.too_slow": (
        "This pattern takes too long on this document and was stopped. Nested repeats are the usual reason: "
        "make it simpler.",
        "该表达式在本文档上耗时过长，已停止。常见原因是嵌套的重复，请简化。",
    ),
    "annotate_patterns.pattern.bad": ("This is no pattern: {reason}.", "表达式有误：{reason}。"),
    "annotate_patterns.pattern.bad_at": (
        "This is no pattern: {reason}, at character {at}.",
        "表达式有误：第 {at} 个字符处，{reason}。",
    ),
    "annotate_patterns.pattern.bad.bracket": ("a closing bracket ) is missing", "缺少右括号 )"),
    "annotate_patterns.pattern.bad.closing": (
        "a closing bracket ) without an opening one",
        "右括号 ) 没有对应的左括号",
    ),
    "annotate_patterns.pattern.bad.set": (
        "a set of characters [ is not closed with ]",
        "字符集 [ 没有以 ] 结束",
    ),
    "annotate_patterns.pattern.bad.repeat": ("there is nothing to repeat", "没有可以重复的内容"),
    "annotate_patterns.pattern.bad.multiple": ("a repeat of a repeat", "重复符号连续出现"),
    "annotate_patterns.pattern.bad.range": ("a range of characters runs backwards", "字符范围前后颠倒"),
    "annotate_patterns.pattern.bad.group": ("there is no such group", "没有这个分组"),
    "annotate_patterns.pattern.bad.property": (r"\p names no known property", r"\p 后的属性不存在"),
    "annotate_patterns.pattern.bad.extension": ("(? is followed by something unknown", "(? 后的内容无法识别"),
    "annotate_patterns.pattern.bad.empty": ("it is empty", "内容为空"),
}
