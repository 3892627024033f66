"""A workspace on a bucket: killed, it comes back with the last snapshot; stopped, with everything."""

import signal
import time

import pytest

from core.store.db import snapshots
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.text import Document, LabelSet
from tests.app.annotator_client import AnnotatorClient
from tests.browser.app_server import AppServer

pytestmark = pytest.mark.exhaustive

SNAPSHOT_SECONDS = 20.0  # until a change is in the bucket, on a slow machine


def saved(server, document, revision, edit):
    client = AnnotatorClient(server.url, "lin")
    answer = client.save(document, revision, [{"start": 0, "end": 1 + revision, "label": "PER"}], edit)
    assert answer["ok"], answer
    return answer["revision"]


def in_the_bucket(bucket, before):
    until = time.monotonic() + SNAPSHOT_SECONDS
    while (newest := snapshots.snapshots_of(bucket)[:1]) == before:
        assert time.monotonic() < until, "no snapshot was made"
        time.sleep(0.1)
    return newest


def test_a_kill_loses_what_came_after_the_last_snapshot_and_a_stop_loses_nothing(tmp_path):
    bucket = tmp_path / "bucket"
    with Workspace.open(bucket) as opened:  # as it was used there before
        project = projects.create(opened, "kept")
        labels.put(opened, project.id, LabelSet().extended(["PER"]))
        document = documents.add(opened, project.id, [Document("a", "周敏在青岛工作。")]).ids[0]
    server = AppServer(bucket, "--storage", "bucket", "--snapshot-every", "2s")
    server.start()
    try:
        newest = in_the_bucket(bucket, [])
        first = saved(server, document, 0, "edit-0000")
        newest = in_the_bucket(bucket, newest)
        server.stop(signal.SIGKILL)
        # The kill came in the middle of the next one.
        (bucket / f"snapshot-{int(newest[0].stem[9:]) + 5}.sqlite").write_bytes(newest[0].read_bytes()[:5000])

        server.start()
        second = saved(server, document, first, "edit-0001")  # refused if the first were not there
        server.stop(signal.SIGTERM)
        assert not (bucket / "app.lock").exists()

        server.start()
        assert saved(server, document, second, "edit-0002") == second + 1
    finally:
        server.stop(signal.SIGKILL)
