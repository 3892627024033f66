"""Dockerfile, compose.yaml, licence and citation: what they name exists and is what the app takes."""

import json
import os
import re
import stat
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from app.server.options import parse
from core import __version__

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions in order, continued lines joined."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    whole = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in whole if line)]


def only(name: str) -> str:
    (rest,) = [rest for found, rest in instructions() if found == name]
    return rest


def test_every_instruction_is_one_of_docker():
    known = "FROM ARG ENV RUN WORKDIR COPY USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT"
    assert {name for name, _ in instructions()} == set(known.split())


def test_what_is_copied_exists_and_is_not_ignored():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = [
        source
        for name, rest in instructions()
        if name == "COPY"
        for source in [word for word in rest.split() if not word.startswith("--")][:-1]
    ]
    wanted = "requirements.txt LICENSE NOTICE launch.py core app latticelens assets"
    assert set(copied) == set(wanted.split())
    for source in copied:
        assert (ROOT / source).exists()
        assert source not in ignored


def test_torch_is_found_in_the_requirements_as_the_build_looks_for_it():
    (run,) = [rest for name, rest in instructions() if name == "RUN" and "requirements.txt" in rest]
    command = re.search(r"grep '[^']+' requirements\.txt", run)
    assert command is not None
    found = subprocess.run(["sh", "-c", command[0]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip().startswith("torch>=")
    assert len(found.stdout.splitlines()) == 1


def test_what_python_loads_is_compiled_after_it_was_copied():
    at = [rest.startswith("python -m compileall ") for _, rest in instructions()].index(True)
    compiled = {word for word in instructions()[at][1].split()[3:] if not word.startswith("-")}
    copied = {
        rest.split()[-1] for name, rest in instructions()[:at] if name == "COPY" and rest.split()[-1] != "./"
    }
    assert compiled == (copied | {"launch.py"}) - {"assets"}


def test_it_runs_as_a_user_without_rights():
    names = [name for name, _ in instructions()]
    assert only("USER") == "latticelens"
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert "RUN" not in names[names.index("USER") :]


def started(folder: Path, port: str, *flags: str) -> list[str]:
    """What the entry point starts, with a ``python`` that tells its arguments."""
    told = folder / "python"
    told.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    told.chmod(told.stat().st_mode | stat.S_IEXEC)
    environment = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PORT": port}
    command = [*json.loads(only("ENTRYPOINT")), *flags]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_entry_point_gives_the_app_the_port_the_volume_and_further_flags(tmp_path):
    door, *flags = started(tmp_path, "8123", "--allow-host", "ner.example.org")
    assert (ROOT / door).is_file()
    options = parse(flags)
    assert (options.port, options.host, options.browser) == (8123, "0.0.0.0", False)
    assert str(options.workspace) == only("VOLUME") == "/workspace"
    assert options.allow_host == ("ner.example.org",)


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (500, False)])
def test_the_health_check_asks_the_page(status, healthy):
    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    check = re.search(r"CMD (\[.*\])", only("HEALTHCHECK"))
    assert check is not None
    program, *arguments = json.loads(check[1])
    assert program == "python"
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        environment = {**os.environ, "PORT": str(server.server_port), "no_proxy": "127.0.0.1"}
        done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, check=False)
        server.shutdown()
    assert (done.returncode == 0) is healthy


def test_the_health_check_fails_where_nothing_listens():
    arguments = json.loads(only("HEALTHCHECK").partition("CMD ")[2])[1:]
    environment = {**os.environ, "PORT": "1"}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, check=False)
    assert done.returncode != 0


def test_the_services_name_each_other_and_files_that_exist():
    app, proxy = COMPOSE["services"]["latticelens"], COMPOSE["services"]["caddy"]
    flags = [word.replace("${DOMAIN:-localhost}", "ner.example.org") for word in app["command"]]
    options = parse(flags)
    assert options.allow_host == ("ner.example.org",)
    assert str(options.auth) == "/workspace/users", "which people can change from Settings"
    assert "ports" not in app  # the proxy alone reaches it
    volumes = {item.split(":")[0]: item.split(":")[1] for item in (*app["volumes"], *proxy["volumes"])}
    assert volumes["workspace"] == only("VOLUME")
    for source in volumes:
        assert (ROOT / source).is_file() if source.startswith("./") else source in COMPOSE["volumes"]
    caddyfile = (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8")
    assert f"reverse_proxy latticelens:{only('EXPOSE')}" in caddyfile
    assert caddyfile.count("{") == caddyfile.count("}")
    assert set(app["build"]["args"]) == {only("ARG").partition("=")[0]}
    assert proxy["depends_on"] == {"latticelens": {"condition": "service_healthy"}}


@pytest.mark.parametrize("name", [".gitignore", ".dockerignore"])
def test_passwords_go_neither_into_the_repository_nor_into_the_image(name):
    assert parse(["--auth", COMPOSE["services"]["latticelens"]["command"][-1]]).auth.is_relative_to(
        only("VOLUME")
    )
    assert "users.txt" in {line.strip("/") for line in (ROOT / name).read_text(encoding="utf-8").splitlines()}


def test_the_citation_has_the_version_and_the_licence_of_the_project():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert citation["license"] == "Apache-2.0"
    assert citation["authors"] == [{"name": "LatticeLens developers"}]


def test_the_licence_is_whole_and_the_notice_names_what_is_there():
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    named = re.findall(r"\bassets/[\w./-]*\w", notice)
    assert len(named) >= 5
    assert [path for path in named if not (ROOT / path).exists()] == []
