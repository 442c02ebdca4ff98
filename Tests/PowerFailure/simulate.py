"""Simulates power failures of a machine that runs img-cache, and checks the pictures that the cache serves afterwards.

    simulate.py --tool PATH --runs N --seed S [--sync]

Each run creates a new cache on ext4, on a disk that records writes and flushes (disk.py). Several processes of the tool
fetch, refresh, pin and remove pictures of a server (origin.py), and some of them are killed. Then the power fails at a
random position of the record. Another disk receives the writes that were flushed before, and any part of the other
writes. With a new boot ID, the tool must serve only bytes that the server has sent for the key, and must not lose a
picture that it reported as durable.

Some runs also damage files that were not flushed, as file systems other than ext4 may: they truncate the files, fill
them with zeros or with older contents, or restore an older index. In these runs pictures may be lost.

Prints a line per run, the totals, and a `WRONG` line for each violation, which causes status 1. Needs root, Linux,
FUSE, loop devices and mkfs.ext4; otherwise prints a line about the missing requirement and exits with status 0. The
seed determines the operations and the losses; the scheduler determines the order in which processes write.
"""

import argparse
import contextlib
import ctypes
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator

import disk
from origin import Origin

KEYS = 32
FS_IOC_SHUTDOWN, FS_SHUTDOWN_FLAGS_NOLOGFLUSH = 0x8004587D, 2
BOOT_ID = "/proc/sys/kernel/random/boot_id"
LIBC = ctypes.CDLL(None, use_errno=True)
INDEX_FILES = ("index.sqlite", "index.sqlite-wal", "index.sqlite-shm")
# The statuses of a run while the server truncates bodies and pictures are removed.
USUAL_STATUSES = (0, 1, 75)


@dataclasses.dataclass
class Place:
    """The folders of the simulation, on a tmpfs in a private mount namespace."""

    work: pathlib.Path
    boot: int = 0

    @property
    def mountpoint(self) -> pathlib.Path:
        return self.work / "mnt"

    @property
    def root(self) -> pathlib.Path:
        return self.mountpoint / "cache"

    @property
    def template(self) -> pathlib.Path:
        return self.work / "template"

    def start_machine(self) -> None:
        """Simulates a boot: a new boot ID, and empty runtime folders."""
        self.boot += 1
        (self.work / "boot_id").write_text(f"{uuid.uuid4()}\n")
        shutil.rmtree(self.work / "runtime", ignore_errors=True)
        (self.work / "runtime").mkdir(mode=0o700)

    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.work), "XDG_RUNTIME_DIR": str(self.work / "runtime"),
            "APOD_TOOLS_CACHE_DIR": str(self.root), "APOD_TOOLS_ALLOW_PRIVATE": "1", "APOD_TOOLS_RETRIES": "0",
        }


@dataclasses.dataclass
class Command:
    """A process of the tool. Positions are sizes of the disk log."""

    name: str
    options: list[str]
    keys: list[str]
    began: int = 0
    began_at: float = 0.0
    ended_at: float = float("inf")
    kill_after: int | None = None


@dataclasses.dataclass
class Report:
    """A record printed without an error, when the disk log had at least `position` bytes."""

    command: Command
    key: str
    sha256: str
    path: str
    position: int

    @property
    def is_promise(self) -> bool:
        """Whether the picture must survive any power failure."""
        return self.command.name == "pin" or "--sync" in self.command.options


class Workload:
    """Waves of processes on a cache, their reports, and the moments at which a failure is interesting."""

    def __init__(self, tool: str, place: Place, rng: random.Random, seed: int, sync: bool) -> None:
        self.tool, self.place, self.rng, self.sync = tool, place, rng, sync
        self.reports: list[Report] = []
        self.commands: list[Command] = []
        self.moments: dict[str, list[tuple[int, int]]] = {"report": [], "exit": [], "kill": []}
        self.faults: list[str] = []
        # Earlier versions of the index, each with the length of the log when the index was read.
        self.older_indexes: list[tuple[int, dict[str, bytes]]] = []
        self.lock = threading.Lock()
        self.victims: list[tuple[Command, subprocess.Popen]] = []
        self.bystander = -1
        self.events = random.Random(f"events {seed}")
        self.origin = Origin(seed, KEYS, self.on_event)

    def run(self) -> bytes:
        """Returns the log of the disk."""
        options = self.rng.choice(["", "", "commit=1", "nodelalloc", "data=writeback", "nodelalloc,data=writeback"])
        self.disk = disk.Disk(self.place.work, self.place.template, self.place.mountpoint, options)
        self.bystander = os.open(self.place.mountpoint / "bystander", os.O_WRONLY | os.O_CREAT)
        try:
            # The root exists before other commands start.
            self.perform(self.any_command("put"))
            for _ in range(self.rng.randint(1, 4)):
                self.run_wave()
                if self.rng.random() < 0.5:
                    index = {
                        name: (self.place.root / name).read_bytes() for name in INDEX_FILES
                        if (self.place.root / name).exists()}
                    self.older_indexes.append((self.disk.log_size(), index))
            size = self.disk.log_size()
        finally:
            with self.lock:
                # Data still in memory need not reach the disk.
                fcntl.ioctl(self.bystander, FS_IOC_SHUTDOWN, struct.pack("I", FS_SHUTDOWN_FLAGS_NOLOGFLUSH))
                os.close(self.bystander)
                self.bystander = -1
            self.disk.close()
        self.moments["any"] = [(0, size)]
        return self.disk.log_path.read_bytes()[:size]

    def run_wave(self) -> None:
        commands = [self.any_command() for _ in range(self.rng.randint(2, 5))]
        threads = [threading.Thread(target=self.perform, args=(command,)) for command in commands]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def any_command(self, name: str = "") -> Command:
        name = name or self.rng.choices(["put", "rm", "pin", "get"], [8, 1, 2, 1])[0]
        options: list[str] = []
        count = self.rng.randint(1, 3)
        if name == "put":
            count = self.rng.randint(4, 12)
            options = ["--jobs", str(self.rng.randint(1, 4))]
            refreshes = self.rng.random() < 0.5
            # A refresh without --sync may replace a durable picture by a picture that is not durable.
            if self.sync and (refreshes or self.rng.random() < 0.7):
                options.append("--sync")
            if refreshes:
                options.append("--refresh")
        known = sorted({report.key for report in self.reports})
        keys = self.rng.sample(self.origin.keys if name == "put" or len(known) < count else known, count)
        if "--refresh" in options:
            for key in keys:
                if self.rng.random() < 0.7:
                    self.origin.change(key)
        kill_after = self.rng.randint(1, 20) if self.rng.random() < 0.3 else None
        return Command(name, options, keys, kill_after=kill_after)

    def perform(self, command: Command) -> None:
        """Runs a process and reads its records as they arrive."""
        with self.lock:
            command.began, command.began_at = self.disk.log_size(), time.monotonic()
            process = subprocess.Popen(
                [self.tool, command.name, *command.options, *command.keys], env=self.place.environment(),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.commands.append(command)
            if command.kill_after is not None:
                self.victims.append((command, process))
        watch = threading.Timer(disk.DEADLINE, process.kill)
        watch.start()
        last = command.began
        for line in process.stdout:
            last = self.disk.log_size()
            # A killed process may leave an incomplete line.
            record = json.loads(line) if line.endswith("\n") else {}
            if "sha256" in record.get("cache", {}):
                cache = record["cache"]
                report = Report(command, cache["key"], cache["sha256"], record["path"], last)
                with self.lock:
                    self.reports.append(report)
                    self.moments["report"].append((last, last))
            self.on_event()
        errors = process.stderr.read()
        process.wait()
        watch.cancel()
        with self.lock:
            command.ended_at = time.monotonic()
            is_killed = command.kill_after is not None and command.kill_after <= 0
            self.moments["kill" if is_killed else "exit"].append((last, self.disk.log_size()))
            self.victims = [victim for victim in self.victims if victim[1] is not process]
        if not is_killed and process.returncode not in USUAL_STATUSES:
            self.faults.append(f"{command.name} exited with {process.returncode}: {errors.strip()}")

    def on_event(self) -> None:
        """Flushes the disk as other programs would, and kills processes. Called at each request and each record."""
        with self.lock:
            for command, process in self.victims:
                command.kill_after -= 1
                if command.kill_after == 0:
                    process.kill()
            if self.bystander < 0:
                return
            chance = self.events.random()
            if chance < 0.2:
                os.pwrite(self.bystander, b"%f" % chance, 0)
                os.fsync(self.bystander)
            elif chance < 0.23:
                LIBC.syncfs(self.bystander)

    def valid_reports(self, end: int) -> Iterator[Report]:
        """The reports before the log had `end` bytes, except for pictures that may have been removed since."""
        removals = [command for command in self.commands if command.name == "rm" and command.began <= end]
        for report in self.reports:
            if report.command.name in ("put", "pin") and report.position <= end and not any(
                    report.key in removal.keys and removal.ended_at > report.command.began_at
                    for removal in removals):
                yield report


@dataclasses.dataclass
class Result:
    status: int
    output: bytes

    @property
    def records(self) -> list[dict]:
        return [json.loads(line) for line in self.output.splitlines()]


@dataclasses.dataclass
class Tally:
    """The counts of a run, or of all runs."""

    wrong: int = 0
    reported: int = 0
    lost: int = 0
    promised: int = 0
    broken: int = 0
    pins: int = 0
    lost_pins: int = 0
    faults: int = 0

    def add(self, other: "Tally") -> None:
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def is_violation(self) -> bool:
        return self.wrong + self.broken + self.lost_pins + self.faults > 0

    def __str__(self) -> str:
        return (
            f"{self.wrong} wrong hits; {self.lost} of {self.reported} reported pictures lost, "
            f"{self.broken} of {self.promised} promised pictures, {self.lost_pins} of {self.pins} pins; "
            f"{self.faults} other faults")


class Aftermath:
    """The machine after the failure."""

    def __init__(self, workload: Workload, place: Place, end: int, rng: random.Random) -> None:
        self.workload, self.place, self.end, self.rng = workload, place, end, rng
        self.origin = workload.origin
        self.reports = list(workload.valid_reports(end))
        self.tally = Tally(faults=len(workload.faults))
        self.messages = list(workload.faults)

    def tool(self, *arguments: str, statuses: tuple[int, ...] = (0, 1)) -> Result:
        ended = subprocess.run(
            [self.workload.tool, *arguments], env=self.place.environment(), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=disk.DEADLINE)
        if ended.returncode not in statuses:
            errors = ended.stderr.decode(errors="replace").strip()
            self.fault(f"{arguments[0]} exited with {ended.returncode}: {errors}")
        return Result(ended.returncode, ended.stdout)

    def fault(self, message: str) -> None:
        self.tally.faults += 1
        self.messages.append(message)

    def check(self, how: str, key: str, body: bytes | None, sha256: str | None = None) -> int | None:
        """Returns the version of the bytes. Counts a wrong hit if the server has not sent them for the key."""
        version = self.origin.version(key, body) if body is not None else None
        if version is None or sha256 not in (None, hashlib.sha256(body).hexdigest()):
            self.tally.wrong += 1
            problem = "no file" if body is None else "other bytes" if version is None else "the SHA-256 of other bytes"
            self.messages.append(f"{how} {key}: {problem}")
        return version

    def served(self, *arguments: str, statuses: tuple[int, ...] = (0, 1)) -> dict[str, tuple[str, int | None]]:
        """Runs `put` or `get` for all keys. Returns the path and version of each served picture."""
        found = {}
        for record in self.tool(*arguments, *self.origin.keys, statuses=statuses).records:
            if "error" in record:
                continue
            path, cache = pathlib.Path(record["path"]), record["cache"]
            body = path.read_bytes() if path.exists() else None
            found[cache["key"]] = (record["path"], self.check(arguments[0], cache["key"], body, cache["sha256"]))
        return found

    def cat(self, keys: list[str]) -> None:
        for key in keys:
            result = self.tool("cat", key)
            if result.status == 0:
                self.check("cat", key, result.output)

    def problems(self, *options: str) -> set[str]:
        """The paths of the problems that `verify` reports."""
        steps = self.tool("verify", "--json", *options).records
        return {problem["path"] for step in steps for problem in step["problems"] if "path" in problem}

    def first_look(self) -> str:
        """Runs a random command, the first that opens the cache after the boot."""
        name = self.rng.choice(["get", "cat", "verify", "put", "info"])
        if name == "cat":
            self.cat(self.origin.keys)
        elif name == "put":
            self.served("put", "--offline", statuses=(0, 1, 69, 75))
        elif name == "info":
            self.tool("info", *self.origin.keys)
        elif name == "verify":
            self.problems()
        return name

    def run(self, is_damaged: bool) -> None:
        found = self.served("get")
        self.cat(self.rng.sample(self.origin.keys, 4))
        if not is_damaged:
            self.count_losses(found)
        for path in self.problems() & {path for path, _ in found.values()}:
            self.fault(f"get served {path}, but verify reports a problem with it")
        self.problems("--repair")
        for key in found.keys() - self.served("get").keys():
            self.fault(f"verify --repair removed {key}, which get had served")
        self.origin.interrupts = False
        missing = set(self.origin.keys) - self.served("put", statuses=(0,)).keys()
        if missing:
            self.fault(f"put serves no picture for {sorted(missing)}")
        self.tool("verify", statuses=(0,))

    def count_losses(self, found: dict[str, tuple[str, int | None]]) -> None:
        pinned = {record["cache"]["key"] for record in self.tool("ls", "--pinned", "--json").records}
        for key in self.origin.keys:
            versions = [self.origin.served[key][report.sha256] for report in self.reports if report.key == key]
            promises = [
                self.origin.served[key][report.sha256] for report in self.reports
                if report.key == key and report.is_promise]
            version = found.get(key, ("", None))[1] or 0
            self.tally.reported += bool(versions)
            self.tally.lost += version < max(versions, default=0)
            self.tally.promised += bool(promises)
            if version < max(promises, default=0):
                self.tally.broken += 1
                self.messages.append(f"{key}: version {version} in place of {max(promises)}, which was promised")
            if any(report.command.name == "pin" for report in self.reports if report.key == key):
                self.tally.pins += 1
                if key not in pinned:
                    self.tally.lost_pins += 1
                    self.messages.append(f"{key}: no longer pinned")


def damage(workload: Workload, place: Place, reports: list[Report], end: int, rng: random.Random) -> str:
    """Damages files that were not flushed. Returns the kind of damage, or an empty string.

    `end` is the length of the log at the failure. A later index would record flushes that the disk lacks.
    """
    kind = rng.choices(["", "index", "entries", "partial"], [6, 1, 1, 1])[0]
    older = [index for position, index in workload.older_indexes if position <= end]
    if kind == "index" and older and place.root.exists():
        for name in INDEX_FILES:
            (place.root / name).unlink(missing_ok=True)
        for name, contents in older[-1].items():
            (place.root / name).write_bytes(contents)
        return "older index"
    promised = {report.key for report in reports if report.is_promise}
    files: dict[pathlib.Path, bytes] = {}
    if kind == "entries" and not workload.sync:
        for report in reports:
            if report.key not in promised and pathlib.Path(report.path).exists():
                version = workload.origin.served[report.key][report.sha256]
                files[pathlib.Path(report.path)] = workload.origin.picture(report.key, max(1, version - 1))
    elif kind == "partial":
        files = {path: b"" for path in (place.root / "partial").glob("*") if path.is_file()}
    chosen = [path for path in files if rng.random() < 0.5]
    for path in chosen:
        size = path.stat().st_size
        contents = rng.choice([b"", bytes(size), path.read_bytes()[:rng.randint(0, size)], files[path]])
        # Writes in place, which keeps extended attributes.
        with open(path, "r+b") as file:
            file.truncate()
            file.write(contents)
            file.truncate()
    return f"{len(chosen)} {kind}" if chosen else ""


def simulate(tool: str, place: Place, seed: int, sync: bool) -> tuple[str, Tally, list[str]]:
    """Runs a workload and a power failure. Returns a description, the counts, and a line for each violation."""
    rng = random.Random(seed)
    place.start_machine()
    workload = Workload(tool, place, rng, seed, sync)
    try:
        log = workload.run()
        moment = rng.choice([name for name, ranges in workload.moments.items() if ranges])
        end = rng.randint(*rng.choice(workload.moments[moment]))
        place.start_machine()
        image = place.work / "failed"
        disk.write_image_after_failure(place.template, log[:end], image, rng)
        disk.mount(image, place.mountpoint)
        try:
            aftermath = Aftermath(workload, place, end, rng)
            damaged = damage(workload, place, aftermath.reports, end, rng)
            first = aftermath.first_look()
            aftermath.run(bool(damaged))
        finally:
            disk.unmount(place.mountpoint)
    finally:
        workload.origin.close()
    about = f"{moment} at {end} of {len(log)}, first {first}" + (f", damaged: {damaged}" if damaged else "")
    return about, aftermath.tally, aftermath.messages


def missing_parts() -> str:
    """The missing requirement of the simulation, or an empty string."""
    if not sys.platform.startswith("linux"):
        return "LINUX"
    if os.geteuid() != 0:
        return "ROOT"
    if disk.fuse is None or not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "FUSE (python3-fusepy, /dev/fuse)"
    return next((name.upper() for name in ("mkfs.ext4", "mount", "umount", "cp") if not shutil.which(name)), "")


@contextlib.contextmanager
def prepared_place() -> Iterator[Place]:
    """Creates the folders in a mount namespace of this process, so that mounts and loop devices always end with it."""
    CLONE_NEWNS = 0x20000
    if LIBC.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "no mount namespace")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    work = pathlib.Path(tempfile.mkdtemp(prefix="power-failure."))
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0700", "power-failure", work], check=True)
        place = Place(work)
        place.mountpoint.mkdir()
        place.start_machine()
        subprocess.run(["mount", "--bind", work / "boot_id", BOOT_ID], check=True)
        disk.make_template(place.template)
        disk.mount(place.template, place.mountpoint)
        disk.unmount(place.mountpoint)
        yield place
    finally:
        subprocess.run(["umount", "--lazy", work], stderr=subprocess.DEVNULL)
        work.rmdir()


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulates power failures of a machine that runs img-cache.")
    parser.add_argument("--tool", required=True, help="the path of img-cache")
    parser.add_argument("--runs", type=int, default=10, help="how many failures (10)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first run (1); each run adds 1")
    parser.add_argument("--sync", action="store_true", help="put pictures with --sync")
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve(strict=True))
    skipped = "*** NO {}: the simulated power failures are SKIPPED"
    if missing := missing_parts():
        print(skipped.format(missing), file=sys.stderr)
        return 0
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    total, began = Tally(), time.monotonic()
    with contextlib.ExitStack() as stack:
        try:
            place = stack.enter_context(prepared_place())
        except (OSError, subprocess.SubprocessError) as error:
            print(skipped.format(f"LOOP DEVICES OR NAMESPACES ({error})"), file=sys.stderr)
            return 0
        for seed in range(arguments.seed, arguments.seed + arguments.runs):
            about, tally, messages = simulate(tool, place, seed, arguments.sync)
            total.add(tally)
            print(f"seed {seed}: {about}: {tally}", flush=True)
            for message in messages:
                print(f"  WRONG  seed {seed}: {message}", flush=True)
    seconds = (time.monotonic() - began) / arguments.runs
    kind = " with --sync" if arguments.sync else ""
    print(f"{arguments.runs} power failures{kind}: {total}; {seconds:.1f} s per run")
    return 1 if total.is_violation else 0


if __name__ == "__main__":
    sys.exit(main())
