"""Sentences like those of short Chinese CVs, made from templates, with the spans that are in them.

They are for measuring how long a large project takes: about 35 characters, with names that come once and
words that come in a fifth of all sentences, as in the corpus that people know as Resume. They measure no
quality.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from core.text import Document, Span

LABELS = ("NAME", "CONT", "RACE", "LOC", "EDU", "PRO", "ORG", "TITLE")
SOURCES = ("登记表", "公告", "年报", "网站", "访谈")

_FAMILY = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘"
    "杜戴夏"
)
_GIVEN = (
    "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰红梅建国文斌宇浩凯鹏飞雪慧颖琳晨阳东海波辉云龙志远思"
    "源家豪子涵"
)
_LISTS = """
LOC 北京 上海 广州 深圳 天津 重庆 成都 武汉 南京 杭州 西安 沈阳 青岛 大连 厦门 苏州
LOC 长沙 郑州 济南 合肥 福州 昆明
trade 能源 电子 化工 医药 机械 汽车 纺织 地产 证券 保险 食品 物流 软件 通信 钢铁
trade 建材 环保 传媒 农业 航运
brand 华盛 远大 新源 恒泰 东方 中天 金辉 银河 长城 蓝海 天润 四维 宏业 鼎信 瑞丰
brand 联创 同方 博雅
kind 股份有限公司 有限责任公司 集团公司 研究院 大学 投资有限公司
TITLE 董事长 总经理 副总经理 独立董事 监事会主席 财务总监 董事会秘书 高级工程师 总会计师
TITLE 教授 部门经理 党委书记
EDU 博士 硕士研究生 大学本科 大专学历 MBA 工商管理硕士
PRO 会计学 法学 经济学 机械工程 计算机科学 电气工程 金融学 化学 土木工程 企业管理
RACE 汉族 汉族 汉族 汉族 回族 满族 蒙古族
CONT 中国国籍
"""
_TEMPLATES = (
    "{NAME}，男，{RACE}，{year}年{month}月出生，{CONT}，{EDU}，{TITLE}。",
    "{NAME}女士：{year}年出生，{CONT}，无境外永久居留权，{PRO}专业，{EDU}。",
    "{year}年{month}月至今，任{ORG}{TITLE}。",
    "历任{ORG}{TITLE}、{TITLE}，现任{ORG}{TITLE}。",
    "{NAME}先生曾在{ORG}工作，{year}年起担任本公司{TITLE}。",
    "毕业于{LOC}某校{PRO}专业，获{EDU}学位，{year}年进入{ORG}。",
    "{year}年{month}月当选为{ORG}第{month}届董事会{TITLE}，任期三年。",
    "现任{ORG}{TITLE}，兼任{LOC}{PRO}学会理事。",
)


def resume_sentences(number: int, *, labelled_every: int = 10, seed: int = 1) -> Iterator[Document]:
    """Documents of one sentence each; the same seed makes the same.

    Args:
        labelled_every: one of so many has its spans, and of those eight of ten are in train, one in dev and
            one in test. 1: all of them have.
    """
    dice = random.Random(seed)
    for at in range(number):
        text, spans = _sentence(dice)
        meta: dict[str, object] = {"source": SOURCES[at % 5], "year": 2000 + at % 20}
        if at % labelled_every:
            spans = ()
        else:
            meta["split"] = (*("train",) * 8, "dev", "test")[at // labelled_every % 10]
        yield Document(f"{seed}-{at}", text, spans, meta)


def _sentence(dice: random.Random) -> tuple[str, tuple[Span, ...]]:
    text, spans = "", []
    for part in dice.choice(_TEMPLATES).split("{"):
        field, closed, after = part.rpartition("}")
        if closed:
            value = _value(field, dice)
            if field in LABELS:
                score = 0.5 + dice.randrange(500) / 1000
                spans.append(Span(len(text), len(text) + len(value), field, score))
            text += value
        text += after
    return text, tuple(spans)


def _value(field: str, dice: random.Random) -> str:
    if field == "NAME":
        return dice.choice(_FAMILY) + "".join(dice.choices(_GIVEN, k=dice.choice((1, 2, 2))))
    if field == "ORG":
        return "".join(dice.choice(_WORDS[name]) for name in ("LOC", "brand", "trade", "kind"))
    if field == "year":
        return str(dice.randrange(1940, 2020))
    if field == "month":
        return str(dice.randrange(1, 13))
    return dice.choice(_WORDS[field])


def _read_lists(lists: str) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for line in lists.strip().splitlines():
        name, *more = line.split()
        words.setdefault(name, []).extend(more)
    return words


_WORDS = _read_lists(_LISTS)
