"""What is wrong with documents, spans, labels and patterns, in Chinese."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    (
        "document {a}: span {b} ends after the text, which has {c} characters",
        "文档 {a}：片段 {b} 超出文本末尾，文本有 {c} 个字符",
    ),
    (
        "document {a}: span {b} should read {c} but the text there is {d}",
        "文档 {a}：片段 {b} 应为 {c}，但该处文本是 {d}",
    ),
    (
        "document {a}: meta.{b} holds {c}, which is no stretch [start, end] of its {d} characters",
        "文档 {a}：meta.{b} 含有 {c}，不是其 {d} 个字符中的一段 [start, end]",
    ),
    (
        "document {a}: meta.{b} should list the stretches looked at as [start, end], but it is {c}",
        "文档 {a}：meta.{b} 应以 [start, end] 列出已查看的段，现为 {c}",
    ),
    ("the span at {a} has an empty label", "{a} 处的片段标签为空"),
    ("span {a} ends after the {b} tokens", "片段 {a} 超出全部 {b} 个词元"),
    ("span {a} overlaps another span", "片段 {a} 与另一片段重叠"),
    (
        "a label name is a non-empty line without outer blanks, got {a}",
        "标签名应为一行非空、两端无空白的文字，收到 {a}",
    ),
    ("label {a} is listed twice", "标签 {a} 重复列出"),
    ("labels {a} and {b} share the key {c}", "标签 {a} 与 {b} 使用同一个快捷键 {c}"),
    ("UTF-16 offset {a} is outside a text of {b} units", "UTF-16 偏移 {a} 超出共 {b} 个单位的文本"),
    ("UTF-16 offset {a} lies inside a surrogate pair", "UTF-16 偏移 {a} 落在代理对中间"),
    ("offset {a} is outside a text of {b} characters", "偏移 {a} 超出共 {b} 个字符的文本"),
    ("a window needs a limit of at least 1 character, got {a}", "窗口上限至少 1 个字符，收到 {a}"),
    ("document {a} was answered as {b}, another id or text", "文档 {a} 的回答对应 {b}，编号或文本不同"),
    ("{a} gold documents but {b} predicted ones", "参考文档 {a} 篇，预测文档 {b} 篇"),
    # patterns
    ("{reason} at character {position} of the pattern", "{reason}（正则表达式第 {position} 个字符）"),
    ("a pattern is a text, got {a}", "正则表达式应为文字，收到 {a}"),
    ("half of a surrogate pair stands", "有半个代理对"),
    ("the pattern has {a} characters; {b} are allowed", "正则表达式有 {a} 个字符，最多 {b} 个"),
    ("the pattern is empty", "正则表达式为空"),
    ("the pattern is nested too deeply or repeats too often", "正则表达式嵌套过深或重复过多"),
    ("the pattern needs too much memory on this text", "正则表达式在此文本上占用内存过多"),
    # agreement
    ("a merge strategy is one of {a}, got {b}", "合并策略应为以下之一：{a}；收到 {b}"),
    ("the threshold is a number of voters from 1 to {a}, got {b}", "阈值是 1 到 {a} 的人数，收到 {b}"),
    ("there are no versions to merge", "没有可合并的版本"),
    ("two versions of one voter cannot be merged", "同一人的两个版本不能合并"),
    (
        "document {a} has another text with {b} than with {c}; agreement needs versions of the same text",
        "文档 {a} 在 {b} 处的文本与 {c} 处不同；一致性需要同一文本的不同版本",
    ),
    (
        "document {a}: {b} marked {c} in a text of {d} characters",
        "文档 {a}：{b} 标注了 {c}，而文本有 {d} 个字符",
    ),
    ("a result has a value or a reason, and not both", "结果只能有值或原因之一"),
)
