"""What is wrong with a word, a word list or a saved lexicon, in Chinese."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    ("line {line}: {reason}", "第 {line} 行：{reason}"),
    # a word
    ("a word needs characters and no blanks around them, got {a}", "词须有字符，且两端没有空白，收到 {a}"),
    ("{a} has {b} characters, at most {c} fit", "{a} 有 {b} 个字符，最多 {c} 个"),
    ("the {phrase} {a} holds a tab or a line break", "{phrase} {a} 含有制表符或换行"),
    ("the {phrase} {a} holds a character that is no text", "{phrase} {a} 含有并非文字的字符"),
    ("the frequency of {a} must be 0 to {b}, got {c}", "{a} 的词频应为 0 到 {b}，收到 {c}"),
    # a line of a list
    ("the word before the tab is missing", "制表符前缺少词"),
    (
        "has {a} columns, a word list has word, frequency and type at most",
        "有 {a} 列，词表最多有词、词频和类型三列",
    ),
    ("has two columns of one kind after the word: {a}", "词后有两列同类内容：{a}"),
    ("the frequency {a} is too large", "词频 {a} 过大"),
    # a list
    (
        "is {phrase_kind}, no word list: {phrase_advice} and try again",
        "是{phrase_kind}，不是词表：请{phrase_advice}，再重试",
    ),
    ("a word list has at most {a} bytes", "词表最多 {a} 字节"),
    (
        "begins like UTF-16 and is not; save the list as UTF-8 and read it again",
        "开头像 UTF-16 但不是；请存为 UTF-8 后重新读入",
    ),
    (
        "is neither UTF-8 nor GB18030 text; save the list as UTF-8 and read it again",
        "既不是 UTF-8 也不是 GB18030 文本；请存为 UTF-8 后重新读入",
    ),
    ("types is one of {a}, got {b}", "types 应为以下之一：{a}；收到 {b}"),
    # jieba
    (
        "the jieba package is not installed; install the requirements and start again",
        "未安装 jieba；请安装依赖后重新启动",
    ),
    (
        "jieba's dictionary cannot be read ({a}); install jieba again",
        "无法读取 jieba 的词典（{a}）；请重新安装 jieba",
    ),
    ("jieba's dictionary is damaged: {a}; install jieba again", "jieba 的词典已损坏：{a}；请重新安装 jieba"),
    # a saved lexicon
    ("is damaged or cut off; take the lexicon from the model again", "已损坏或不完整；请从模型重新取出词典"),
    ("is not UTF-8 text", "不是 UTF-8 文本"),
    ("unpacks to more than {a} bytes", "解压后超过 {a} 字节"),
    (
        "{a} does not describe a lexicon: it needs {b}",
        "{a} 描述的不是词典：缺少 {b}",
    ),
    (
        "{a} does not hold the words that {b} names; take both from one model",
        "{a} 中的词与 {b} 所述不符；请从同一个模型取出两者",
    ),
    (
        "{a} has format {b}, this version reads 1: update LatticeLens",
        "{a} 的格式是 {b}，本版本只读 1；请升级 LatticeLens",
    ),
    ("{a} is not JSON; take the lexicon from the model again", "{a} 不是 JSON；请从模型重新取出词典"),
    (
        "{a}: an added word is [word, frequency, type], got {b}",
        "{a}：新增的词应为 [词, 词频, 类型]，收到 {b}",
    ),
    ("{a}: removed words must be strings", "{a}：移除的词应为字符串"),
    # new words
    ("a new word must occur at least 2 times, got {a}", "新词至少出现 2 次，收到 {a}"),
    ("the longest new word has 2 to {a} tokens, got {b}", "新词最长为 2 到 {a} 个单位，收到 {b}"),
    ("longest and least must be 1 or more, got {a} and {b}", "longest 和 least 应不小于 1，收到 {a} 和 {b}"),
    ("{a} must be a number, got {b}", "{a} 应为数字，收到 {b}"),
    ("is missing", "缺失"),
    ("cannot be read: {a}", "无法读取：{a}"),
)

PHRASES: tuple[tuple[str, str], ...] = (("word", "词"), ("type", "类型"))
