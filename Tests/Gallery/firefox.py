#!/usr/bin/env python3
"""Starts Firefox ESR for Playwright, and relays WebDriver BiDi between them.

    firefox.py ARGUMENT…

Playwright sends commands of newer versions of Firefox when it opens a page. The relay answers the commands that Firefox
does not know, so the settings that they change (colour scheme and reduced motion) keep their defaults. The environment
variable FIREFOX is the path of the browser.
"""

import asyncio
import json
import os
import re
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve


async def relay(client, address):
    """Relays messages until one side closes the connection."""

    async def forward(source, target):
        async for text in source:
            message = json.loads(text)
            # A tab opens faster than a window.
            if message.get("method") == "browsingContext.create":
                message["params"]["type"] = "tab"
                text = json.dumps(message)
            if message.get("error") == "unknown command" and "emulation." in message["message"]:
                text = json.dumps({"type": "success", "id": message["id"], "result": {}})
            await target.send(text)
        await target.close()

    async with connect(address + client.request.path, max_size=None) as firefox:
        await asyncio.gather(forward(client, firefox), forward(firefox, client))


async def main():
    firefox = await asyncio.create_subprocess_exec(os.environ["FIREFOX"], *sys.argv[1:], stderr=asyncio.subprocess.PIPE)
    servers = []
    async for line in firefox.stderr:
        if listening := re.search(r"WebDriver BiDi listening on (ws://\S+)", line.decode()):
            server = await serve(lambda client: relay(client, listening[1]), "127.0.0.1", 0, max_size=None)
            servers.append(server)
            port = server.sockets[0].getsockname()[1]
            line = f"WebDriver BiDi listening on ws://127.0.0.1:{port}\n".encode()
        sys.stderr.buffer.write(line)
        sys.stderr.flush()
    return await firefox.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
