"""Tiles of a picture with more than 24 megapixels."""

import json

from PIL import Image

from browser import open_overlay, settle, wait
from screen import VIEW

DRAWN = "[...document.querySelectorAll('.frame .tiles img')]"


def tiled_slide(page):
    return page.evaluate("document.querySelector('[data-tiles]').closest('.details').id")


def tiles(page):
    """Waits until all tiles are loaded, and returns the level, column and row of each."""
    settle(page)
    wait(page, f"!busy() && {DRAWN}.every(tile => tile.complete)")
    assert page.evaluate(f"{DRAWN}.every(tile => tile.naturalWidth)"), "a tile is missing"
    sources = page.evaluate(f"{DRAWN}.map(tile => tile.src)")
    return [[int(number) for number in source.split("/")[-1][:-4].split("-")] for source in sources]


def test_zoom_shows_the_tiles_in_view_up_to_full_resolution(b):
    with b.page(gallery="tiles") as page:
        open_overlay(page, tiled_slide(page))
        picture = page.evaluate("({ ...document.querySelector('.details.shown figure img').dataset })")
        width, height = int(picture["tilesWidth"]), int(picture["tilesHeight"])
        assert width * height > 24_000_000 and "original" not in picture, picture
        assert tiles(page) == [], "the overlay's file is large enough for the whole picture"

        page.mouse.move(640, 400)
        page.keyboard.press("+")
        page.keyboard.press("+")
        settle(page)
        levels = {level for level, _, _ in tiles(page)}
        assert levels == {1}, levels

        for _ in range(12):
            page.keyboard.press("+")
        settle(page)
        shown = tiles(page)
        assert {level for level, _, _ in shown} == {0} and len(shown) < 40, shown
        view = page.evaluate(VIEW)
        assert abs(view["width"] - width) < 2 and abs(view["height"] - height) < 2, (view, width, height)
        # Each tile is as large on the screen as its file, and the tiles together cover the window.
        sizes = page.evaluate(f"{DRAWN}.map(tile => [tile.getBoundingClientRect().width, tile.naturalWidth])")
        assert all(abs(drawn - natural) < 1 for drawn, natural in sizes), sizes
        corners = [[5, 5], [1275, 5], [5, 795], [1275, 795]]
        covered = page.evaluate(
            """corners => corners.every(([x, y]) => [...document.querySelectorAll('.frame .tiles img')].some(tile => {
                const { left, top, right, bottom } = tile.getBoundingClientRect();
                return left <= x && x <= right && top <= y && y <= bottom;
            }))""",
            corners,
        )
        assert covered, shown

        for _ in range(40):
            page.keyboard.press("ArrowRight")
        settle(page)
        last = tiles(page)
        assert max(column for _, column, _ in last) == (width - 1) // 512, last
        assert not {tuple(tile) for tile in shown} & {tuple(tile) for tile in last}, "tiles far outside the view stay"

        page.keyboard.press("0")
        settle(page)
        assert tiles(page) == []


def test_tiles_are_copies_of_the_pictures_pixels(b):
    gallery = b.site.parent / "tiles"
    field = json.loads((gallery / "records.ndjson").read_text(encoding="utf-8"))["variants"]["tiles"]
    folder = gallery / field["path"]
    names = {file.name for file in folder.iterdir()}
    for level in range(2):
        width, height = round(field["width"] / 2**level), round(field["height"] / 2**level)
        columns, rows = -(-width // 512), -(-height // 512)
        wanted = {f"{level}-{column}-{row}.jpg" for column in range(columns) for row in range(rows)}
        assert wanted <= names, (level, wanted - names)
        names -= wanted
        corner = Image.open(folder / f"{level}-{columns - 1}-{rows - 1}.jpg")
        assert corner.size == (width - 512 * (columns - 1), height - 512 * (rows - 1)), corner.size
    assert not names, json.dumps(sorted(names))
    assert field["bytes"] == sum(file.stat().st_size for file in folder.iterdir())
