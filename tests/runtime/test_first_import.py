"""A library that replaces itself while it is imported is whole for every thread."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = """
import sys, time, types
name = __name__
whole = types.ModuleType(name)
time.sleep(0.2)
whole.Thing = object
sys.modules[name] = whole
"""
THREADS = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from core.runtime.first_import import import_alone
wrong, together = [], threading.Barrier(6)
def work():
    together.wait()
    try:
        import_alone("replaced")
        from replaced import Thing
    except ImportError as error:
        wrong.append(error)
threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(wrong))
"""


def test_threads_that_import_it_first_at_once_all_get_it(tmp_path):
    (tmp_path / "replaced.py").write_text(LIBRARY, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", THREADS, str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "0"
