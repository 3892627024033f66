"""Words for common labels, for queries about labels without a description."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabelWords:
    """A keyword for a label, and its synonyms."""

    keyword: str
    synonyms: tuple[str, ...] = ()


# Each line: labels that mean the same; keyword and synonyms in English; keyword and synonyms in Chinese.
# Labels with different meanings in different corpora (PRO, CONT) are left out.
_TABLE = """
per person nr | person, human name, individual | 人名, 人物, 姓名
name | name, person | 姓名, 人名
loc location ns | location, place, region | 地名, 地点, 地区
gpe | country, city, state, province | 国家, 城市, 省份
address | address, place | 地址, 住址
org organization organisation nt | organization, company, agency, institution | 机构, 组织, 公司, 单位
company | company, firm, enterprise | 公司, 企业
government | government, authority | 政府, 政府机构
fac facility | facility, building, airport, bridge | 设施, 建筑, 机场, 桥梁
title position | position, job title, post | 职位, 头衔, 职务
edu | education, degree | 学历, 学位
race | ethnicity, ethnic group | 民族, 种族
date | date, day, year | 日期, 年月日
time | time, hour, moment | 时间, 时刻
money | money, amount, price | 金额, 价格
percent | percentage, rate | 百分比, 比例
quantity | quantity, measurement | 数量, 度量
event | event, incident, match, war | 事件, 活动, 赛事, 战争
product | product, goods, brand | 产品, 商品, 品牌
law | law, act, regulation | 法律, 法规, 条例
language | language, tongue | 语言, 语种
norp | nationality, religious group, political group | 民族, 宗教团体, 政治团体
book | book, novel | 书名, 小说
movie | movie, film | 电影, 影片
game | game, video game | 游戏, 电子游戏
scene | scenic spot, tourist attraction | 景点, 旅游景点
bod | body part, organ, tissue | 身体部位, 器官, 组织
dep | hospital department, clinic | 科室, 门诊
dis | disease, syndrome, poisoning | 疾病, 综合征, 中毒
dru | drug, medicine | 药物, 药品
equ | medical equipment, device | 医疗设备, 仪器
ite | medical test item, laboratory test | 检验项目, 化验项目
mic | microorganism, virus, bacterium | 微生物, 病毒, 细菌
sym | symptom, clinical manifestation | 症状, 临床表现
"""


def _read(column: int) -> dict[str, LabelWords]:
    words_of_labels = {}
    for line in _TABLE.strip().splitlines():
        columns = line.split("|")
        keyword, *synonyms = (word.strip() for word in columns[column].split(","))
        words_of_labels.update(dict.fromkeys(columns[0].split(), LabelWords(keyword, tuple(synonyms))))
    return words_of_labels


_WORDS = {"en": _read(1), "zh": _read(2)}


def label_words(label: str, language: str) -> LabelWords:
    """The words for a label; for an unknown one its name, with blanks for ``_`` and ``-``.

    Args:
        language: ``en`` or ``zh``.
    """
    name = " ".join(label.replace("_", " ").replace("-", " ").split()) or label
    return _WORDS[language].get(label.casefold(), LabelWords(name))
