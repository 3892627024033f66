"""Strings of what stands under every figure."""

STRINGS: dict[str, tuple[str, str]] = {
    "figure.download": ("Download this figure", "下载这张图"),
    "figure.png": ("as a picture (PNG)", "存为图片（PNG）"),
    "figure.svg": ("as a drawing (SVG)", "存为矢量图（SVG）"),
    "figure.html": ("this view as a page of its own (HTML)", "把此视图存为独立网页（HTML）"),
    "figure.csv": ("its numbers as a table (CSV)", "数据表格（CSV）"),
    "figure.json": ("its numbers as JSON", "数据（JSON）"),
}
