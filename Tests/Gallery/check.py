"""Tests the pages of galleries in Chromium.

    python3 check.py FOLDER BASE [test_name …]

FOLDER contains the galleries `site` and `hostile`, made by Tests/Gallery/run. BASE is the folder's address. The
environment variable CHROMIUM is the path of the browser.
"""

import importlib
import os
import pathlib
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

from browser import Browser

HERE = pathlib.Path(__file__).parent


def main():
    if len(sys.argv) < 3:
        print(__doc__.strip())
        return 64
    folder, base, *chosen = sys.argv[1:]
    modules = [importlib.import_module(path.stem) for path in sorted(HERE.glob("test_*.py"))]
    tests = {name: test for module in modules for name, test in vars(module).items() if name.startswith("test_")}
    failures = 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        browser = Browser(chromium, folder, base)
        where = "http" if browser.is_served else "file"
        for name in chosen or tests:
            start = time.monotonic()
            try:
                tests[name](browser)
                print(f"ok    {where} {name} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception as error:
                failures += 1
                lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if "/test_" in f.filename]
                reason = str(error)[:900] or type(error).__name__
                print(f"FAIL  {where} {name}, line {lines[-1] if lines else 0}: {reason}", flush=True)
        chromium.close()
    total = len(chosen or tests)
    print(f"{where}: {total - failures} of {total} passed", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
