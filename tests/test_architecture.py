"""Imports only run downwards, as docs/architecture.md says; torch is not needed to show the first page."""

import ast
import contextlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What each room may import besides itself and `BELOW_ALL`; docs/architecture.md is checked to say the same.
BELOW_ALL = "runtime"
ALLOWED: dict[str, set[str]] = {
    BELOW_ALL: set(),
    "text": set(),
    "cluster": {"text"},
    "layers": set(),
    "corpus": {"text"},
    "lexicon": {"corpus", "text"},
    "retrieval": {"lexicon", "text"},
    "sources": {"retrieval", "corpus", "text"},
    "linking": {"retrieval", "formats", "text"},
    "formats": {"corpus", "text"},
    "store": {"corpus", "text"},
    "agreement": {"text"},
    "accounts": {"corpus", "text"},
    "encoders": {"lexicon", "layers", "text"},
    "taggers": {"encoders", "retrieval", "lexicon", "layers", "text"},
    "training": {"taggers", "lexicon", "layers", "formats", "corpus", "text"},
    "learning": {
        "training",
        "taggers",
        "encoders",
        "retrieval",
        "lexicon",
        "layers",
        "formats",
        "corpus",
        "text",
    },
    "inspection": {"taggers", "encoders", "lexicon", "layers", "text"},
    "export": {
        "training",
        "inspection",
        "taggers",
        "encoders",
        "lexicon",
        "layers",
        "formats",
        "corpus",
        "text",
    },
    "bulk": {"export", "training", "taggers", "cluster", "corpus", "text"},
    "jobs": {
        "training",
        "learning",
        "inspection",
        "taggers",
        "store",
        "formats",
        "lexicon",
        "cluster",
        "corpus",
        "text",
    },
}
# The packages of the store, bottom to top; docs/architecture.md is checked to say the same.
STORE = (
    "db", "project", "label", "lexicon", "knowledge", "document", "annotation", "suggest", "run", "review",
    "queue", "doctor",
)  # fmt: skip
# The rooms of the app: a feature imports those below all features, and no other feature.
FEATURES = (
    "data", "annotate", "train", "tag", "inspect", "compare", "ledger", "dictionary", "review", "dashboard",
    "settings", "setup", "tour", "api",
)  # fmt: skip
BELOW_FEATURES = ("ui", "services", "i18n")
TORCH_FREE = (
    "core.runtime",
    "core.text",
    "core.corpus",
    "core.formats",
    "core.store",
    "core.agreement",
    "core.accounts",
    "core.lexicon",
    "core.retrieval",
    "core.sources",
    "core.linking",
    "core.jobs",
    "core.cli",
    "latticelens",
    "latticelens.cli",
    "app.main",
)
# Folders may have more modules than `MOST_MODULES` where all are of one kind, as these.
MOST_MODULES = 18
ONE_KIND = {
    "core/commands": "commands",
    "core/formats": "formats",
    "core/inspection/sentence": "views",
    "core/layers": "layers",
    "core/learning/active_learning": "ways to choose",
    "core/training/strategies": "strategies",
}
# What modules gained after Python 3.10, the oldest the project promises.
AFTER_3_10: dict[str, set[str]] = {
    "asyncio": {"Runner", "TaskGroup", "timeout"},
    "builtins": {"BaseExceptionGroup", "ExceptionGroup"},
    "contextlib": {"chdir"},
    "datetime": {"UTC"},
    "enum": {"EnumCheck", "ReprEnum", "StrEnum", "global_enum", "member", "nonmember", "verify"},
    "hashlib": {"file_digest"},
    "itertools": {"batched"},
    "logging": {"getHandlerByName", "getHandlerNames", "getLevelNamesMapping"},
    "math": {"cbrt", "exp2", "sumprod"},
    "operator": {"call"},
    "sys": {"exception", "monitoring"},
    "typing": {
        "LiteralString", "Never", "NotRequired", "ReadOnly", "Required", "Self", "TypeAliasType", "TypeIs",
        "TypeVarTuple", "Unpack", "assert_never", "assert_type", "dataclass_transform", "override",
        "reveal_type",
    },
    "warnings": {"deprecated"},
}  # fmt: skip
KEYWORDS_AFTER_3_10 = {"delete_on_close", "onexc", "weakref_slot", "walk_up"}


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively; rooms are named in full"
            module = node.module or ""
            yield node.lineno, module
            if module == "core":
                for alias in node.names:
                    yield node.lineno, f"core.{alias.name}"


def _sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_a_room_imports_only_rooms_below_it(room: str) -> None:
    wrong = []
    for path in _sources(f"core/{room}"):
        for line, module in _imports(path):
            parts = module.split(".")
            if (
                parts[0] == "core"
                and len(parts) > 1
                and parts[1] not in {*ALLOWED[room], room, BELOW_ALL, "__version__"}
            ):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _import_graph() -> dict[str, set[str]]:
    """Each module of core and app, and those it imports anywhere: in functions and for types too."""
    paths = {_module(path): path for folder in ("core", "app") for path in _sources(folder)}
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        found: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                found.update(names & paths.keys() or {node.module})
        graph[module] = found & paths.keys() - {module}
    return graph


def _circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import each other in a loop: strongly connected components (Tarjan 1972)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    circles = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        stack.append(module)
        for imported in graph[module]:
            if imported not in order:
                visit(imported)
                lowest[module] = min(lowest[module], lowest[imported])
            elif imported in stack:
                lowest[module] = min(lowest[module], order[imported])
        if lowest[module] == order[module]:
            at = stack.index(module)
            circle = stack[at:]
            del stack[at:]
            if len(circle) > 1:
                circles.append(sorted(circle))

    for module in graph:
        if module not in order:
            visit(module)
    return circles


def test_no_module_imports_itself_by_a_detour() -> None:
    assert _circles(_import_graph()) == []


def test_a_circle_is_noticed() -> None:
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c"]]


def test_a_package_of_the_store_imports_only_those_before_it() -> None:
    packages = {path.name for path in (ROOT / "core/store").iterdir() if (path / "__init__.py").is_file()}
    assert packages == set(STORE)
    wrong = []
    for at, package in enumerate(STORE):
        for path in _sources(f"core/store/{package}"):
            for _, module in _imports(path):
                above = module.removeprefix("core.store.").split(".")[0] in STORE[at + 1 :]
                if module == "core.store" or (module.startswith("core.store.") and above):
                    wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_a_room_of_the_app_imports_only_those_below_it() -> None:
    rooms = {path.name for path in (ROOT / "app").iterdir() if (path / "__init__.py").is_file()}
    assert rooms == {"server", *FEATURES, *BELOW_FEATURES}
    wrong = []
    for room in (*FEATURES, *BELOW_FEATURES):
        below = set(
            BELOW_FEATURES[BELOW_FEATURES.index(room) + 1 :] if room in BELOW_FEATURES else BELOW_FEATURES
        )
        for path in _sources(f"app/{room}"):
            for _, module in _imports(path):
                parts = module.split(".")
                if parts[0] == "app" and parts[1:2] != [room] and not below & set(parts[1:2]):
                    wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_core_never_imports_the_app_or_gradio() -> None:
    for path in _sources("core"):
        for line, module in _imports(path):
            assert module.split(".")[0] not in {"app", "gradio"}, f"{path}:{line} imports {module}"


def test_the_python_interface_reaches_the_app_only_to_open_it() -> None:
    for path in _sources("latticelens"):
        for line, module in _imports(path):
            opened = path.name == "cli.py" and module in {"app.server.options", "app.server.run"}
            where = f"{path.relative_to(ROOT)}:{line} imports {module}"
            assert module.split(".")[0] not in {"app", "gradio", "torch", "transformers"} or opened, where


def test_the_app_writes_no_sql_and_builds_no_layers() -> None:
    for path in _sources("app"):
        for line, module in _imports(path):
            where = f"{path.relative_to(ROOT)}:{line}"
            assert module.split(".")[0] not in {"sqlite3", "sqlite_utils"}, f"{where}: SQL is core/store's"
            assert module not in {"torch.nn", "torchcrf"}, f"{where}: model mathematics is core's"


def test_every_room_is_known() -> None:
    rooms = {path.name for path in (ROOT / "core").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(ALLOWED) | {"commands"}


def test_the_architecture_page_lists_the_same_imports() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert f"`core/{BELOW_ALL}`" in page
    for room, allowed in ALLOWED.items():
        if room == BELOW_ALL:
            continue
        row = re.search(rf"^\| `core/{room}` \|[^|]*\| ([^|]*) \|$", page, re.MULTILINE)
        assert row is not None, f"docs/architecture.md has no row for core/{room}"
        named = set() if row[1] == "(nothing)" else {name.strip() for name in row[1].split(",")}
        assert named == allowed, f"core/{room}: the page says {sorted(named)}"


def test_a_folder_can_be_taken_in_at_a_glance() -> None:
    paths = _sources("core") + _sources("app") + _sources("latticelens")
    folders = Counter(path.parent.relative_to(ROOT).as_posix() for path in paths)
    large = {folder for folder, modules in folders.items() if modules > MOST_MODULES}
    assert large == set(ONE_KIND), "a folder outgrew the others, or one of the list no longer does"


def test_no_module_is_a_drawer_of_odds_and_ends() -> None:
    for path in _sources("core") + _sources("app") + _sources("latticelens"):
        assert path.stem not in {"utils", "helpers", "common", "misc"}, path


@pytest.mark.exhaustive
def test_the_first_page_needs_no_torch() -> None:
    code = f"""
import importlib, sys
for name in {TORCH_FREE}:
    importlib.import_module(name)
    found = [heavy for heavy in ("torch", "transformers") if heavy in sys.modules]
    if found:
        sys.exit(f"{{name}} imports {{found}}")
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr


def _newer_than_3_10(source: str) -> Iterator[tuple[int, str]]:
    """Names and syntax that Python 3.10 lacks, outside ``if sys.version_info …``."""
    tree = ast.parse(source, feature_version=(3, 10))
    guarded = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "version_info" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, x.name) for x in node.names if x.name == "tomllib")
        elif isinstance(node, ast.ImportFrom) and node.module == "tomllib":
            yield node.lineno, node.module
        elif isinstance(node, ast.ImportFrom):
            newer = AFTER_3_10.get(node.module or "", set())
            yield from ((node.lineno, f"{node.module}.{x.name}") for x in node.names if x.name in newer)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in AFTER_3_10.get(node.value.id, set()):
                yield node.lineno, f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Name) and node.id in AFTER_3_10["builtins"]:
            yield node.lineno, node.id
        elif isinstance(node, ast.keyword) and node.arg in KEYWORDS_AFTER_3_10:
            yield node.value.lineno, f"{node.arg}="
        elif type(node).__name__ in {"TryStar", "TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple"}:
            yield getattr(node, "lineno", 0), type(node).__name__


@pytest.mark.exhaustive
def test_nothing_needs_a_python_newer_than_3_10() -> None:
    paths = [ROOT / "launch.py", ROOT / "setup.py"]
    for folder in ("core", "app", "latticelens", "assets", "benchmarks", "tests"):
        paths += _sources(folder)
    wrong = [
        f"{path.relative_to(ROOT)}:{line} uses {name}"
        for path in paths
        for line, name in _newer_than_3_10(path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "source",
    [
        "from typing import Self",
        "import datetime\ndatetime.UTC",
        "import enum\nclass A(enum.StrEnum): pass",
        "import tomllib",
        "from tomllib import loads",
        "raise ExceptionGroup('x', [])",
        "import shutil\nshutil.rmtree('x', onexc=print)",
        "try:\n    pass\nexcept* ValueError:\n    pass",
        "type A = int",
    ],
)
def test_what_3_10_lacks_is_noticed(source: str) -> None:
    with contextlib.suppress(SyntaxError):  # which of them the parser itself refuses depends on its version
        assert list(_newer_than_3_10(source))


def test_what_a_version_check_guards_is_fine() -> None:
    guarded = "import sys\nif sys.version_info >= (3, 11):\n    import tomllib\nelse:\n    import tomli"
    assert list(_newer_than_3_10(guarded)) == []
