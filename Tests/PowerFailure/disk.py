"""A disk that records every write and flush, and the images that may remain after a power failure.

    disk.py MOUNTPOINT IMAGE LOG

Serves IMAGE as the only file, `disk`, of a FUSE file system, and appends each write and flush of the file to LOG. The
program prints a line when the file system is mounted, and ends when it is unmounted. A loop device on the file turns
flushes of the file system above it (REQ_PREFLUSH, and FUA, which the device does not support) into an fsync of the
file.

A write followed by a flush is durable. The disk may have stored all, none or some sectors of any other write, in any
order; `surviving_pieces` chooses them.
"""

import contextlib
import ctypes
import errno
import importlib
import os
import pathlib
import random
import select
import signal
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Iterator

fuse = None
for module in ("fusepy", "fuse"):  # the names that Debian and PyPI give it
    with contextlib.suppress(ImportError, OSError):  # OSError: no libfuse
        fuse = importlib.import_module(module)
        break

HEADER = struct.Struct("<QI")
FLUSH = 2**64 - 1
IMAGE_BYTES = 64 << 20
DEADLINE = 20.0


class RecordingDisk(fuse.Operations if fuse else object):
    """The file system operations, called by a single thread."""

    def __init__(self, image: str, log: str) -> None:
        self.image = os.open(image, os.O_RDWR)
        self.log = os.open(log, os.O_WRONLY | os.O_APPEND)
        self.size = os.fstat(self.image).st_size

    def init(self, path: str) -> None:
        os.write(sys.stdout.fileno(), b"mounted\n")

    def getattr(self, path: str, fh: int | None = None) -> dict[str, int]:
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o700, "st_nlink": 2}
        if path == "/disk":
            return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": self.size}
        raise fuse.FuseOSError(errno.ENOENT)

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return os.pread(self.image, size, offset)

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        os.writev(self.log, [HEADER.pack(offset, len(data)), data])
        return os.pwrite(self.image, data, offset)

    def fsync(self, path: str, datasync: int, fh: int) -> None:
        os.write(self.log, HEADER.pack(FLUSH, 0))


class Disk:
    """A recording disk in a separate folder, with a mounted ext4 file system."""

    def __init__(self, folder: pathlib.Path, template: pathlib.Path, mountpoint: pathlib.Path, options: str) -> None:
        self.log_path = folder / "log"
        self.log_path.write_bytes(b"")
        image = folder / "image"
        copy_sparse(template, image)
        self.fuse = folder / "fuse"
        self.fuse.mkdir(exist_ok=True)
        self.mountpoint = mountpoint
        # A separate session, so that Ctrl-C does not end the process before its file system is unmounted.
        self.process = subprocess.Popen(
            [sys.executable, __file__, self.fuse, image, self.log_path],
            stdout=subprocess.PIPE, start_new_session=True)
        try:
            if not (select.select([self.process.stdout], [], [], DEADLINE)[0] and self.process.stdout.readline()):
                raise RuntimeError("the FUSE file system was not mounted")
            mount(self.fuse / "disk", mountpoint, options)
        except BaseException:
            self.close()
            raise

    def log_size(self) -> int:
        """The size of the log. The disk has handled all flushes that completed before the call."""
        return self.log_path.stat().st_size

    def close(self) -> None:
        """Unmounts both file systems, which must not be in use."""
        if os.path.ismount(self.mountpoint):
            unmount(self.mountpoint)
        # The loop device releases its file only after unmounting ext4 has returned.
        subprocess.run(["umount", "--lazy", self.fuse], stderr=subprocess.DEVNULL)
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def copy_sparse(source: pathlib.Path, target: pathlib.Path) -> None:
    subprocess.run(["cp", "--sparse=always", source, target], check=True)


def make_template(path: pathlib.Path) -> None:
    """Creates an image with an empty ext4 file system. Its tables are initialised, so that mounting writes little."""
    with open(path, "wb") as file:
        file.truncate(IMAGE_BYTES)
    options = "nodiscard,lazy_itable_init=0,lazy_journal_init=0"
    subprocess.run(
        ["mkfs.ext4", "-q", "-F", "-b", "4096", "-J", "size=4", "-O", "metadata_csum", "-E", options, path], check=True)


def mount(image: pathlib.Path, mountpoint: pathlib.Path, options: str = "") -> None:
    """Mounts an image with a loop device, which is detached on unmounting."""
    options = ",".join(filter(None, ["loop", "noatime", options]))
    subprocess.run(["mount", "-t", "ext4", "-o", options, image, mountpoint], check=True, timeout=DEADLINE)


def unmount(mountpoint: pathlib.Path) -> None:
    """Unmounts a file system as soon as the killed processes that used it have ended."""
    end = time.monotonic() + DEADLINE
    while subprocess.run(["umount", mountpoint], stderr=subprocess.DEVNULL).returncode != 0:
        if time.monotonic() > end:
            raise RuntimeError(f"{mountpoint} stays busy")
        time.sleep(0.01)


def entries(log: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The complete entries of a log: the end of each in the log, its offset on the disk or FLUSH, and its bytes."""
    place = 0
    while place + HEADER.size <= len(log):
        offset, count = HEADER.unpack_from(log, place)
        place += HEADER.size + count
        if place > len(log):
            return
        yield place, offset, log[place - count:place]


def surviving_pieces(log: bytes, rng: random.Random) -> Iterator[tuple[int, bytes]]:
    """Offsets and bytes, in write order, of the data on the disk if the power fails at the end of the log."""
    record = list(entries(log))
    flushed = max((place for place, offset, _ in record if offset == FLUSH), default=0)
    kept = rng.choice((0.0, 0.3, 0.6, 0.9, 1.0))
    torn = rng.choice((0.0, 0.2, 0.5))
    for place, offset, data in record:
        if offset == FLUSH:
            continue
        if place < flushed or rng.random() < kept:
            yield offset, data
        elif rng.random() < torn:
            # ext4 updates its 1,024-byte superblocks in place. If only a half were written, mounting would need e2fsck.
            sector = rng.choice((1024, 4096))
            for start in range(0, len(data), sector):
                if rng.random() < 0.5:
                    yield offset + start, data[start:start + sector]


def write_image_after_failure(
    template: pathlib.Path, log: bytes, image: pathlib.Path, rng: random.Random
) -> None:
    """Creates the image of the disk after a power failure at the end of the log."""
    copy_sparse(template, image)
    with open(image, "r+b", buffering=0) as file:
        for offset, data in surviving_pieces(log, rng):
            os.pwrite(file.fileno(), data, offset)


if __name__ == "__main__":
    # This process must end with the program that started it, even if that program is killed.
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    mountpoint, image, log = sys.argv[1:]
    fuse.FUSE(RecordingDisk(image, log), mountpoint, foreground=True, nothreads=True, big_writes=True)
