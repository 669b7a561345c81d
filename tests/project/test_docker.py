"""The text of the Dockerfile and compose.yaml; `tests/image.sh` builds the image and runs it."""

from __future__ import annotations

import fnmatch
import os
import re
import shlex
import subprocess
import tomllib

import pytest
import yaml  # Bokeh brings it
from dockerfile import ROOT, Instruction, instructions
from optional import require_optional
from timeouts import TIMEOUT

from engine.cli import command as cli

ALL = instructions()
LAST = ALL[max(i for i, instruction in enumerate(ALL) if instruction.keyword == "FROM") :]
"""The stage that becomes the image."""


def one(keyword: str) -> Instruction:
    """The only instruction of this kind in the last stage."""
    (found,) = [instruction for instruction in LAST if instruction.keyword == keyword]
    return found


def is_ignored(path: str) -> bool:
    """Return whether .dockerignore excludes a file or folder at the top of this one."""
    out = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        if line and not line.startswith("#") and fnmatch.fnmatch(path, pattern):
            out = not line.startswith("!")
    return out


def test_instructions_are_read_whole() -> None:
    assert {i.keyword for i in ALL} == {
        "FROM", "RUN", "COPY", "WORKDIR", "ENV", "USER", "EXPOSE", "HEALTHCHECK", "CMD",
    }  # fmt: skip
    assert not any(instruction.value.endswith("\\") for instruction in ALL)


def test_the_base_is_one_image_of_one_release_of_debian() -> None:
    stages = [i.value.split() for i in ALL if i.keyword == "FROM"]
    bases = {words[0] for words in stages} - {words[-1] for words in stages if "AS" in words}
    assert len(bases) == 1
    name, _, digest = bases.pop().partition("@")
    assert re.fullmatch(r"debian:(bookworm|trixie)[a-z0-9-]*", name), (
        f"{name!r} may be another release tomorrow"
    )
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", digest), "another image may have this name tomorrow"


def test_it_runs_as_a_user_that_it_made_and_after_the_last_change_to_the_system() -> None:
    user = one("USER").value
    assert user not in ("root", "0")
    position = LAST.index(one("USER"))
    assert any(
        i.keyword == "RUN" and re.search(rf"useradd .*\b{user}\b", i.value) for i in LAST[:position]
    )
    later = [i.value for i in LAST[position:] if i.keyword == "RUN"]
    assert later and not any("apt-get" in value or "pip" in value for value in later)


def test_kernels_are_compiled_by_the_user_who_reads_them() -> None:
    warm = next(i for i in LAST if i.keyword == "RUN" and "engine warm" in i.value)
    assert LAST.index(warm) > LAST.index(one("USER"))
    (folder,) = [
        word.partition("=")[2]
        for i in LAST
        if i.keyword == "ENV"
        for word in i.words()
        if word.startswith("POLHODE_CACHE_DIR=")
    ]
    assert any(
        i.keyword == "RUN" and f"install -d -o {one('USER').value}" in i.value and folder in i.value
        for i in LAST
    )


def test_packages_leave_no_lists_behind() -> None:
    for instruction in ALL:
        if "apt-get install" in instruction.value:
            assert "--no-install-recommends" in instruction.value
            assert "rm -rf /var/lib/apt/lists/*" in instruction.value
        for command in instruction.value.split("&&"):
            if "pip install" in command:
                assert "--no-cache-dir" in command
                from_lock = "--require-hashes --requirement requirements.lock" in command
                assert from_lock or "--no-deps --no-build-isolation" in command, (
                    "other files than were tested"
                )


def test_only_what_is_needed_is_copied_and_all_of_it_is_there() -> None:
    stages = {i.value.split(" AS ")[1] for i in ALL if " AS " in i.value and i.keyword == "FROM"}
    copied = []
    for instruction in (i for i in ALL if i.keyword == "COPY"):
        *sources, _ = instruction.words()
        if instruction.flag("from"):
            assert instruction.flag("from") in stages
        else:
            copied += sources
    for source in copied:
        assert (ROOT / source).exists(), source
        assert not is_ignored(source), f"{source} is left out by .dockerignore"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = [
        pattern.rstrip("*")
        for pattern in project["tool"]["setuptools"]["packages"]["find"]["include"]
    ]
    files = [
        project["project"]["readme"],
        *project["project"]["license-files"],
        "pyproject.toml",
        "requirements.lock",
    ]
    assert sorted(copied) == sorted([*packages, *files])


@pytest.mark.parametrize(
    "path", [".git", "tests", "docs", "results", ".env", "benchmarks", ".venv"]
)
def test_what_is_not_needed_is_not_even_sent_to_the_builder(path: str) -> None:
    assert is_ignored(path)


def test_there_are_no_secrets() -> None:
    text = (ROOT / "Dockerfile").read_text() + (ROOT / "compose.yaml").read_text()
    assert not re.search(r"(?i)password|passwd=|token|secret|api_?key|BEGIN [A-Z ]*PRIVATE", text)
    assert not any(i.keyword in ("ARG", "ADD") for i in ALL)


def test_it_is_looked_after() -> None:
    check = one("HEALTHCHECK").command()
    port = one("EXPOSE").value
    assert f"127.0.0.1:{port}/liveness" in check
    assert shlex.split(check)[0] == "python3"
    compile(shlex.split(check)[2], "HEALTHCHECK", "exec")


def test_the_command_is_one_that_polhode_has() -> None:
    program, command, *options = shlex.split(one("CMD").command())
    assert (program, command) == ("polhode", "serve")
    _, parsers = cli.parsers()
    given = parsers["serve"].parse_args(options)
    assert given.address == "0.0.0.0" and given.show is False
    assert given.port == one("EXPOSE").value
    assert given.origins == []  # they are given by POLHODE_ORIGINS


SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


@pytest.mark.parametrize("name", SERVICES)
def test_compose_gives_as_little_as_it_can(name: str) -> None:
    service = SERVICES[name]
    assert service["image"] == "polhode"
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["mem_limit"] and service["pids_limit"] and service["init"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert "privileged" not in service and "network_mode" not in service
    assert "volumes" not in service  # one over the kernels would hide those of the next image


def test_only_the_page_can_be_reached() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["polhode"]
    assert [name for name, service in SERVICES.items() if "profiles" not in service] == ["polhode"]
    service = SERVICES["polhode"]
    assert "*" not in service["environment"]["POLHODE_ORIGINS"]
    assert service["ports"][0].endswith(f":{one('EXPOSE').value}")


def test_old_versions_of_compose_read_it_alike() -> None:
    """docker-compose 1.29 has only these forms of a variable, and podman-compose 1.0 no empty
    default.
    """
    text = (ROOT / "compose.yaml").read_text()
    variables = re.findall(
        r"\$\{?\w[^\s,:]*(?::-[^}]*)?\}?", re.sub(r"^ *#.*$", "", text, flags=re.MULTILINE)
    )
    assert variables and all(
        re.fullmatch(r"\$\{\w+:-[^${}]+\}", variable) for variable in variables
    ), variables


@pytest.mark.parametrize(
    "command",
    ["docker-compose config", "podman-compose --dry-run up"],
    ids=lambda x: x.split(" -")[0],
)
def test_a_version_that_is_installed_reads_it(command: str) -> None:
    require_optional(command.split()[0])
    environment = os.environ | {"POLHODE_PORT": "8080", "POLHODE_ORIGINS": "lab.example.org"}
    read = subprocess.run(
        command.split(), cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert "localhost:8080,lab.example.org" in read.stdout + read.stderr


def test_the_clusters_commands_are_ones_that_dask_has() -> None:
    from distributed.cli import dask_scheduler, dask_worker

    for name, command in (("scheduler", dask_scheduler.main), ("worker", dask_worker.main)):
        program, what, *arguments = SERVICES[name]["command"]
        assert (program, what) == ("dask", name)
        command.make_context(name, arguments)


def test_the_page_asks_the_cluster_that_the_command_names() -> None:
    address = SERVICES["worker"]["command"][2]
    assert SERVICES["polhode"]["environment"]["POLHODE_SCHEDULER"] is None, (
        "it is handed over from outside"
    )
    for path in ("compose.yaml", "docs/how-to/sweep.md"):
        assert f"POLHODE_SCHEDULER={address} COMPOSE_PROFILES=cluster" in (ROOT / path).read_text()
    assert address == f"tcp://{SERVICES['scheduler']['command'][1]}:8786"


def test_the_script_that_builds_it_finds_what_it_changes() -> None:
    """With names of methods it compiles the kernels of these only."""
    assert (ROOT / "Dockerfile").read_text().count("engine warm") == 1
    assert "s/engine warm/" in (ROOT / "tests" / "image.sh").read_text()
