"""A local web server whose pictures change."""

import functools
import hashlib
import http.server
import random
import re
import struct
import sys
import threading
import zlib
from collections.abc import Callable


class Origin:
    """Serves a noise PNG for each key. Its bytes depend only on the seed, the key and the version.

    For most keys, all versions have the same size, so that the size does not reveal the version. Some pictures are
    large, and the server truncates some of their bodies while `interrupts` is true.
    """

    def __init__(self, seed: int, count: int, on_request: Callable[[], None]) -> None:
        self.seed = seed
        self.rng = random.Random(f"origin {seed}")
        self.on_request = on_request
        self.interrupts = True
        self.lock = threading.Lock()
        self.server = Server(("127.0.0.1", 0), functools.partial(Handler, self))
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.current = {f"{self.address}/{number}.png": 1 for number in range(count)}
        self.served: dict[str, dict[str, int]] = {key: {} for key in self.current}
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def keys(self) -> list[str]:
        return list(self.current)

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def change(self, key: str) -> None:
        with self.lock:
            self.current[key] += 1

    def serve(self, key: str) -> tuple[int, bytes, bool]:
        """The current version of a picture, its bytes, and whether to truncate its body."""
        with self.lock:
            version = self.current[key]
            body = self.picture(key, version)
            self.served[key][hashlib.sha256(body).hexdigest()] = version
            return version, body, self.interrupts and len(body) > 50_000 and self.rng.random() < 0.4

    def version(self, key: str, body: bytes) -> int | None:
        """The version of the key that was served with these bytes, or None."""
        return self.served[key].get(hashlib.sha256(body).hexdigest())

    def picture(self, key: str, version: int) -> bytes:
        number = int(re.findall(r"/(\d+)\.png$", key)[0])
        shape = random.Random(f"{self.seed} {number}")
        width, height = shape.randint(24, 64), shape.randint(24, 48)
        if number % 8 == 0:
            width, height = 200, 200
        elif number % 8 == 1:
            height += version
        noise = random.Random(f"{self.seed} {number} {version}")
        rows = b"".join(b"\0" + noise.randbytes(width * 3) for _ in range(height))
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b"")]
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
            for name, data in chunks)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        # A killed process resets its connections.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers GET with ETags, conditions and ranges."""

    protocol_version = "HTTP/1.1"

    def __init__(self, origin: Origin, *arguments: object) -> None:
        self.origin = origin
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self.origin.on_request()
        version, body, is_cut_off = self.origin.serve(self.origin.address + self.path)
        tag = f'"{version}"'
        if self.headers.get("If-None-Match") == tag:
            self.send_response(304)
            self.send_header("ETag", tag)
            self.end_headers()
            return
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(wanted[1]) if wanted and self.headers.get("If-Range") == tag else 0
        if 0 < start < len(body):
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            start = 0
            self.send_response(200)
        self.send_header("ETag", tag)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        end = (start + len(body)) // 2 if is_cut_off else len(body)
        self.close_connection |= is_cut_off
        self.wfile.write(body[start:end])

    def log_message(self, *arguments: object) -> None:
        pass
