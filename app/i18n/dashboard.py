"""Strings of the Dashboard page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dashboard.purpose": (
        "How far the project is, how fast it goes, and what more work would bring.",
        "项目进展、标注速度，以及继续标注会带来什么。",
    ),
    "dashboard.empty": (
        "Here you see how the work goes, once there are documents. Bring some in first.",
        "导入文档后，这里会显示工作进展。请先导入文档。",
    ),
    "dashboard.to_annotate": ("Go to Data", "前往数据页"),
    "dashboard.numbers.documents": (
        "**{done}** of **{all}** {all:document|documents} done ({share} %); {progress} in progress, {new} "
        "untouched.",
        "共 **{all}** 篇文档，已完成 **{done}** 篇（{share}%），进行中 {progress} 篇，未开始 {new} 篇。",
    ),
    "dashboard.numbers.brought": (
        " Of the untouched, {brought} came with labels: {brought:it teaches|they teach} already, and can "
        "be checked.",
        "未开始的文档中有 {brought} 篇导入时已带标注：它们已用于训练，也可以复核。",
    ),
    "dashboard.numbers.copies": (
        "**{handed}** {handed:copy|copies} handed out, **{done}** finished, with {spans} "
        "{spans:span|spans} in {done:it|them}.",
        "已分配 **{handed}** 份，完成 **{done}** 份，其中共 {spans} 个片段。",
    ),
    "dashboard.numbers.spans": (
        "**{spans}** agreed {spans:span|spans}; the project has {labels} {labels:label|labels}.",
        "定稿中有 **{spans}** 个片段，项目共 {labels} 个标签。",
    ),
    "dashboard.numbers.speed": (
        "**{documents}** {documents:document|documents} and **{spans}** {spans:span|spans} an hour of "
        "work, over the last {hours} {hours:hour|hours} at work (pauses of more than 5 minutes left out).",
        "最近 {hours} 小时的标注中（不计超过 5 分钟的停顿），每小时 **{documents}** 篇文档、**{spans}** 个"
        "片段。",
    ),
    "dashboard.numbers.no_speed": (
        "There is no speed to tell yet: fewer than five minutes of work.",
        "标注时间不足五分钟，暂无速度。",
    ),
    "dashboard.progress": ("Progress and speed", "进度与速度"),
    "dashboard.how.progress": (
        "Above: documents finished so far, once for each person who finished them. Below: different "
        "documents and spans per hour of work on each "
        "day; an "
        "hour of work is time between saves that are at most 5 minutes apart.",
        "上图：累计完成的文档（按人计）。下图：每天每小时标注的文档数和片段数；相邻两次保存间隔不超过 5 "
        "分钟的时间计为工作时间。",
    ),
    "dashboard.labels": ("Labels", "标签分布"),
    "dashboard.how.labels": (
        "Above: spans of each label now. Below, once there are two days: each label's share of what "
        "people added "
        "that day, in the same colours; a band that widens is a label that comes up more often.",
        "上图：各标签现有的片段数。下图（至少两天后出现）：每天新增片段中各标签的比例，颜色相同；"
        "色带变宽表示该标签出现得更多。",
    ),
    "dashboard.curve": ("Learning curve", "学习曲线"),
    "dashboard.how.curve": (
        "Each mark is a finished run: its training documents and its F1 on the held-out ones. The line "
        "is a power "
        "law through the runs of one tagger, the band where a further run would lie 19 times in 20. Runs "
        "scored on different held-out documents compare only roughly.",
        "每个点是一次完成的训练：横轴为训练文档数，纵轴为在保留文档上的 F1。"
        "曲线是同一种标注器各次训练的幂律拟合，"
        "色带为下一次训练的 95% 预测区间。保留文档不同时只能粗略比较。",
    ),
    "dashboard.next_hour": ("The next hour", "接下来一小时"),
    "dashboard.next.no_speed": (
        "How many documents an hour brings is not known yet: fewer than five minutes of work.",
        "标注时间不足五分钟，还无法估计一小时能标多少。",
    ),
    "dashboard.next.nothing_left": ("Every document is done.", "所有文档都已完成。"),
    "dashboard.next.copies_done": (
        "Every copy that was handed out is done; {count} {count:document|documents} not reviewed yet.",
        "已分配的文档都已标注完；还有 {count} 篇没有审阅。",
    ),
    "dashboard.next.documents": (
        "At the present speed an hour of work brings about **{count}** {count:document|documents}; all "
        "that is left takes about {hours} {hours:hour|hours}.",
        "按目前速度，一小时约可标注 **{count}** 篇；剩余文档约需 {hours} 小时。",
    ),
    "dashboard.next.no_runs": (
        "What it would do to F1 cannot be said before a run was trained here.",
        "在这里训练过标注器之后，才能估计对 F1 的影响。",
    ),
    "dashboard.next.too_few": (
        "{tagger}: runs on {sizes} {sizes:number|different numbers} of documents; a curve needs three or "
        "more.",
        "{tagger}：目前只有 {sizes} 种训练规模，拟合曲线至少需要三种。",
    ),
    "dashboard.next.flat": (
        "{tagger}: the {points} {points:run does|runs do} not show that more documents help (slope "
        "{slope}, 95 % interval {low} to {high}).",
        "{tagger}：{points} 次训练看不出文档增加有帮助（斜率 {slope}，95% 区间 {low} 至 {high}）。",
    ),
    "dashboard.next.curve": (
        "{tagger}: with {more} more {more:document|documents} than today's {today}, F1 would go from "
        "{before} to about **{after}** (95 % interval {worst} to {best}; slope {slope}, {low} to {high}, "
        "from {points} {points:run|runs}).",
        "{tagger}：在现有 {today} 篇之外再加 {more} 篇，F1 约从 {before} 升到 **{after}**（95% 区间 "
        "{worst} 至 {best}；斜率 {slope}，{low} 至 {high}，据 {points} 次训练）。",
    ),
    "dashboard.next.stands": (
        "{tagger}: at {today} {today:document|documents} its curve stands at F1 {before} and still rises "
        "(slope {slope}, 95 % interval {low} to {high}, from {points} {points:run|runs}).",
        "{tagger}：训练文档为 {today} 篇时，曲线上的 F1 为 {before}，仍在上升（斜率 {slope}，95% 区间 "
        "{low} 至 {high}，据 {points} 次训练）。",
    ),
    "dashboard.people": ("People", "人员"),
    "dashboard.people_how": (
        "Documents are different ones saved in, counted once a day and person. A speed needs five "
        "minutes of work.",
        "文档数按人按天去重。工作满五分钟才计算速度。",
    ),
    "dashboard.agreement": ("Agreement", "一致性"),
    "dashboard.agreement_none": (
        "Agreement is told once two people have finished their copies of the same document. Hand each "
        "document "
        "to more than one person for that.",
        "同一篇文档有两人完成各自的标注后，才能计算一致性。请把每篇文档分配给多个人。",
    ),
    "dashboard.agreement_ask": (
        "{versions} {versions:version|versions} of {documents} {documents:document|documents} can be "
        "compared; that takes some seconds.",
        "可比较 {documents} 篇文档的 {versions} 份标注，需要几秒钟。",
    ),
    "dashboard.compute": ("Compare them", "开始比较"),
    "dashboard.agreement_how": (
        "{documents} {documents:document|documents} that two or more of {people} people have finished. "
        "Bars are 95 % intervals from {resamples} resamples of the documents. What each measure says, and "
        "when it has no value, is told in docs/agreement.md.",
        "{people} 人中至少两人完成的 {documents} 篇文档。横线为对文档重抽样 {resamples} 次得到的 95% 区间。"
        "各指标的含义及何时无定义见 docs/agreement.md。",
    ),
    "dashboard.by": ("Show", "显示"),
    "dashboard.by_pair": ("by pair of people", "按人员两两比较"),
    "dashboard.by_label": ("by label", "按标签"),
    "dashboard.how.agreement": (
        "1 is full agreement; for κ and α, 0 is what chance would give. A measure without a dot is "
        "undefined there: "
        "the table below says why.",
        "1 表示完全一致；对 κ 和 α，0 相当于偶然一致。没有点表示该处无定义，原因见下表。",
    ),
    "dashboard.how.time": (
        "The same number of documents in each point, in the order in which they were finished; below "
        "each point the "
        "day of the last one, and how many.",
        "按完成先后每点取同样多的文档；点下方是最后一篇完成的日期和篇数。",
    ),
    "dashboard.time_none": (
        "Agreement over time is drawn from ten documents on that two people have finished.",
        "至少有十篇文档由两人完成后，才会显示一致性随时间的变化。",
    ),
    "dashboard.all_values": ("All values, and what is undefined", "全部数值及无定义的原因"),
    "dashboard.everybody": ("everybody", "所有人"),
    "dashboard.all_labels": ("all labels", "全部标签"),
    "dashboard.measure.span_f1": ("span F1", "片段 F1"),
    "dashboard.measure.span_f1_relaxed": ("span F1, overlap", "片段 F1（有重叠即可）"),
    "dashboard.measure.cohen_kappa": ("Cohen's κ", "Cohen κ"),
    "dashboard.measure.fleiss_kappa": ("Fleiss' κ", "Fleiss κ"),
    "dashboard.measure.alpha": ("Krippendorff's α", "Krippendorff α"),
    "dashboard.measure.alpha_u": ("α_U (units)", "α_U（单元化）"),
    "dashboard.measure.gamma": ("γ", "γ"),
    "dashboard.figure.finished": ("documents finished so far", "累计完成的文档"),
    "dashboard.figure.documents_per_hour": ("documents an hour", "每小时文档数"),
    "dashboard.figure.spans_per_hour": ("spans an hour", "每小时片段数"),
    "dashboard.figure.other": ("{count} other {count:label|labels}", "其他 {count} 个标签"),
    "dashboard.figure.fitted": ("{tagger}, fitted", "{tagger}，拟合"),
    "dashboard.axis.documents": ("documents", "文档"),
    "dashboard.axis.per_hour": ("per hour", "每小时"),
    "dashboard.axis.spans": ("spans", "片段"),
    "dashboard.axis.share": ("share, %", "比例，%"),
    "dashboard.axis.training_documents": ("training documents", "训练文档数"),
    "dashboard.axis.f1": ("F1, %", "F1，%"),
    "dashboard.axis.agreement": ("agreement", "一致性"),
    "dashboard.axis.finished_until": ("finished until, documents", "完成日期、篇数"),
    "dashboard.column.person": ("person", "人员"),
    "dashboard.column.documents": ("documents", "文档"),
    "dashboard.column.finished": ("finished", "完成"),
    "dashboard.column.spans": ("spans", "片段"),
    "dashboard.column.hours": ("hours at work", "工作小时"),
    "dashboard.column.documents_per_hour": ("documents / h", "文档/小时"),
    "dashboard.column.spans_per_hour": ("spans / h", "片段/小时"),
    "dashboard.column.who": ("who", "人员"),
    "dashboard.column.label": ("label", "标签"),
    "dashboard.column.measure": ("measure", "指标"),
    "dashboard.column.value": ("value", "数值"),
    "dashboard.column.interval": ("95 % interval, or why not", "95% 区间或无定义原因"),
}
