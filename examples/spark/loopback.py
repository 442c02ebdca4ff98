"""Servers on free ports of 127.0.0.1 that end with the script that started them. Linux only, since it reads /proc."""

import collections
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

# The longest time that a server may take to start or to exit, in seconds.
PATIENCE = 120


def wait_for(what, condition):
    """Waits until `condition()` is true, and returns its value. Ends the script after PATIENCE seconds."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    raise SystemExit(f"{what} did not finish within {PATIENCE} s; see the logs")


def session(leader):
    """Returns the ids of the processes in a session, by the id of its leader."""
    ids = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # State, parent, group and session follow the name, which may contain spaces and parentheses.
            if int(stat.read_text().rpartition(")")[2].split()[3]) == leader:
                ids.append(int(stat.parent.name))
    return ids


class Processes:
    """Programs that end with the `with` block that started them. Each has its own session, and a log in `work`."""

    def __init__(self, work):
        self.work = pathlib.Path(work)
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            self.end(process)

    def start(self, name, command, **options):
        log = open(self.work / f"{name}.log", "ab")
        options = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, **options}
        with log:
            process = subprocess.Popen([str(word) for word in command], start_new_session=True, **options)
        self.running.append(process)
        return process

    def end(self, process):
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        self.kill(process)

    def kill(self, process):
        """Kills a program and all its descendants, as a power failure of their machine would."""
        for each in session(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        process.wait()
        if process in self.running:
            self.running.remove(process)

    def listen(self, name, command):
        """Starts the program `command(port)` on a free port. Returns its process and port once it listens."""
        for _ in range(5):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            process = self.start(name, command(port))

            def is_up():
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    return True
                return process.poll() is not None

            wait_for(name, is_up)
            # The server exits immediately if the port is in use.
            time.sleep(0.1)
            if process.poll() is None:
                return process, port
            self.running.remove(process)
        raise SystemExit(f"{name} does not start; see {self.work / name}.log")


def processor_seconds(process):
    """Returns the processor time of a process and its threads."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Origin:
    """The sample service, with a `latency` in milliseconds per picture, and the log of its requests."""

    def __init__(self, processes, latency, size="320x240"):
        self.log = processes.work / "requests.log"
        self.latency = latency
        self.read_until = 0
        service = processes.start(
            "origin", ["sample-service", "--size", size, "--log", self.log],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.address = service.stdout.readline().strip()

    def picture(self, name, *faults):
        path = "".join(f"/fault/{fault}" for fault in (f"wait-{self.latency}", *faults))
        return f"{self.address}{path}/pictures/{name}"

    def requests(self):
        """Returns the number of requests for each address since `forget`."""
        text = self.log.read_text()[self.read_until:] if self.log.exists() else ""
        return collections.Counter(self.address + line.split()[2] for line in text.splitlines())

    def forget(self):
        self.read_until = self.log.stat().st_size if self.log.exists() else 0


class Redis:
    """A Redis server that stores nothing on the disk."""

    def __init__(self, processes):
        self.process, self.port = processes.listen(
            "redis", lambda port: [
                "redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no",
                "--dir", processes.work,
            ])
        self.databases = -1

    def fresh(self):
        """Returns the address of an empty remote."""
        self.databases += 1
        return f"redis://127.0.0.1:{self.port}/{self.databases % 16}"

    def empty(self):
        self.ask("FLUSHALL")
        self.databases = -1

    def ask(self, command):
        with socket.create_connection(("127.0.0.1", self.port), 5) as server, server.makefile("rb") as answer:
            server.sendall(f"{command}\r\n".encode())
            first = answer.readline().decode()
            return answer.read(int(first[1:])).decode() if first[0] == "$" else first

    def request_count(self):
        """Returns the number of commands that the server has run."""
        return int(self.ask("INFO stats").partition("total_commands_processed:")[2].split()[0])


class Nginx:
    """An nginx with one process that stores uploaded files."""

    def __init__(self, processes):
        work = processes.work
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        temporary = " ".join(
            f"{kind}_temp_path {work}/nginx-{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (work / "store").mkdir()

        def command(port):
            (work / "nginx.conf").write_text(f"""
                daemon off; master_process off; pid {work}/nginx.pid; error_log {work}/nginx.log;
                events {{ worker_connections 512; }}
                http {{
                    {temporary}
                    access_log off; keepalive_requests 100000; client_max_body_size 0;
                    server {{
                        listen 127.0.0.1:{port}; root {work}/store;
                        location / {{ dav_methods PUT; create_full_put_path on; }}
                        location = /status {{ stub_status; }}
                    }}
                }}""")
            return [program, "-e", work / "nginx.log", "-c", work / "nginx.conf"]

        self.process, self.port = processes.listen("nginx", command)
        self.stores = 0

    def fresh(self):
        """Returns the address of an empty remote."""
        self.stores += 1
        return f"http://127.0.0.1:{self.port}/{self.stores}/"

    def request_count(self):
        """Returns the number of requests that the server has answered."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/status") as answer:
            return int(answer.read().split()[9])
