"""Strings of the window around the pages: tabs, status bar, errors."""

STRINGS: dict[str, tuple[str, str]] = {
    "frame.tab.data": ("Data", "数据"),
    "frame.tab.annotate": ("Annotate", "标注"),
    "frame.tab.review": ("Review", "审阅"),
    "frame.tab.train": ("Train", "训练"),
    "frame.tab.tag": ("Tag", "预测"),
    "frame.tab.inspect": ("Inspect", "透视"),
    "frame.tab.compare": ("Compare", "对比"),
    "frame.tab.ledger": ("Ledger", "纠错账本"),
    "frame.tab.dictionary": ("Dictionary", "词典"),
    "frame.tab.dashboard": ("Dashboard", "看板"),
    "frame.tab.settings": ("Settings", "设置"),
    "frame.project": ("Project", "项目"),
    "frame.project_closed": ("A project closed to you", "不对你开放的项目"),
    "frame.language": ("中文", "English"),
    "frame.theme": ("Light or dark", "浅色或深色"),
    "frame.loading": ("Opening the page", "正在打开页面"),
    "frame.status.device": ("Device", "设备"),
    "frame.status.warming": ("checking the device", "正在检测设备"),
    "frame.status.serving": ("serving: {run}", "在用：{run}"),
    "frame.status.serving_scored": ("serving: {run} (F1 {f1})", "在用：{run}（F1 {f1}）"),
    "frame.status.no_serving": ("no tagger yet", "还没有标注器"),
    "frame.status.job": ("training {run}", "正在训练 {run}"),
    "frame.status.tag_job": ("tagging with {run}", "正在预测 {run}"),
    "frame.status.queued": ("{run} is waiting", "{run} 等待中"),
    "frame.status.closed": ("closed to you", "对你不开放"),
    "frame.status.other_job": ("a training of another project", "另一个项目在训练"),
    "frame.status.left": ("{time} left", "剩余 {time}"),
    "frame.status.cancel": ("Cancel", "取消"),
    "frame.status.cancelling": ("stopping", "正在停止"),
    "frame.status.idle": ("nothing running", "没有任务"),
    "frame.status.saved": ("saved {time}", "已保存 {time}"),
    "frame.status.not_saved": ("nothing to save yet", "暂无改动"),
    "frame.status.offline": (
        "The app does not answer. Is it still running?",
        "程序没有响应。它还在运行吗？",
    ),
    "frame.error.expired": (
        "This page was opened before the app was restarted, or lay idle too long. Reload the page; "
        "everything you saved is there.",
        "这个页面是在程序重启之前打开的，或闲置太久。请刷新页面；已保存的内容都在。",
    ),
    "frame.error.system": (
        "The system refused at {place}: {reason}. Check that the disk has space and that you may write "
        "there, then try again.",
        "系统在 {place} 拒绝了操作：{reason}。请检查磁盘空间和写入权限，再试一次。",
    ),
    "frame.error.workspace": ("the workspace", "工作区"),
    "frame.error.unexpected": (
        "Something went wrong inside LatticeLens ({kind}: {reason}). Nothing that was saved is lost. "
        "The terminal shows the details.",
        "LatticeLens 内部出错（{kind}：{reason}）。已保存的内容没有丢失，详情见终端。",
    ),
    "frame.error.no_tagger": (
        "This project has no tagger yet. Train one on the Train page.",
        "这个项目还没有标注器，请先在训练页训练一个。",
    ),
    "frame.error.tagger_gone": (
        "The folder of {run} is gone: {folder}. Put it back, or choose another run on the Train page.",
        "{run} 的文件夹已不在：{folder}。请放回原处，或在训练页选择另一个运行。",
    ),
    "frame.error.no_project": (
        "This project is not there any more. Choose another one at the top.",
        "这个项目已不存在，请在顶部选择另一个。",
    ),
    "frame.demo.banner": (
        "Demo: this is your own copy. It is deleted when you leave it for {minutes} "
        "{minutes:minute|minutes}. Limits: {documents} {documents:document|documents}, {characters} "
        "{characters:character|characters} a text, {training} {training:minute|minutes} of training.",
        "演示：这是你独享的副本，离开 {minutes} 分钟后即删除。限制：{documents} 篇文档、每篇 {characters} "
        "字、训练 {training} 分钟。",
    ),
    "frame.demo.documents": (
        "The demo holds at most {limit} {limit:document|documents} and there would be {count}. Leave some "
        "out, or run LatticeLens on your own machine.",
        "演示最多容纳 {limit} 篇文档，现在将有 {count} 篇。请减少一些，或在自己的机器上运行 LatticeLens。",
    ),
    "frame.demo.characters": (
        "The demo takes texts of at most {limit} {limit:character|characters}; this one has {count}. "
        "Shorten it, or run LatticeLens on your own machine.",
        "演示只接受不超过 {limit} 字的文本，这一篇有 {count} 字。请缩短，或在自己的机器上运行 LatticeLens。",
    ),
    "frame.demo.busy": (
        "Other visitors are training right now and the demo machine is full. Try again in a few minutes.",
        "其他访客正在训练，演示机器已满。请几分钟后再试。",
    ),
    "frame.demo.visitors": (
        "The demo has as many visitors as it can hold. Try again in a few minutes.",
        "演示的访客已满，请几分钟后再来。",
    ),
    "frame.device.no_gpu": ("no GPU was found", "没有找到 GPU"),
    "frame.device.asked": ("chosen at the start of the app", "启动程序时指定"),
    "frame.device.found": ("a GPU was found: {name}", "找到 GPU：{name}"),
    "frame.device.missing": (
        "{device} was asked for but is not there; using {used}",
        "要求使用 {device}，但没有找到；改用 {used}",
    ),
}
