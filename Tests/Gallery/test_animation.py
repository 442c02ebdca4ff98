"""Animations: stills on tiles, and a button that pauses the animation in the details and the overlay."""

import io

from PIL import Image

from browser import enlarge, order, settle, wait, wait_for_slide

FILE = "document.querySelector('.details.shown figure img').currentSrc.split('-').at(-1)"
BUTTON = ".details.shown .motion"


def open_animation(page, number=0):
    id = order(page)[number]
    page.evaluate(f"location.hash = '{id}'")
    wait_for_slide(page, id)
    settle(page)


def is_red(page, selector):
    """Returns whether an element shows a frame other than the first."""
    shot = Image.open(io.BytesIO(page.locator(selector).screenshot())).convert("RGB")
    red, _, blue = shot.getpixel((shot.width // 4, shot.height // 4))
    return red > blue


def test_tiles_show_stills_of_animations_with_a_play_mark(b):
    with b.page(gallery="animations") as page:
        settle(page)
        for selector in (".hero img", ".tile.video img"):
            assert "-still.gif" in page.locator(selector).evaluate("img => img.currentSrc"), selector
        marks = "[...document.querySelectorAll('.tile, .hero')].map(e => getComputedStyle(e.firstChild, '::before').content)"
        assert [mark != "none" for mark in page.evaluate(marks)] == [True, True, False], page.evaluate(marks)
        assert not [url for url in page.requested if "-pager.gif" in url or "-overlay.gif" in url]


def test_a_button_pauses_and_resumes_the_animation(b):
    with b.page(gallery="animations") as page:
        open_animation(page)
        assert page.evaluate(FILE) == "pager.gif" and not page.locator(".details.shown .play").is_visible()
        wait(page, "document.querySelector('.details.shown figure img').complete")
        page.wait_for_timeout(700)  # until its last frame
        assert is_red(page, ".details.shown figure img")
        button = page.locator(BUTTON)
        assert button.get_attribute("aria-pressed") == "false" and button.inner_text() == "Pause the animation"
        button.focus()
        page.keyboard.press("Enter")
        settle(page)
        assert page.evaluate(FILE) == "still.gif" and button.get_attribute("aria-pressed") == "true"
        assert not is_red(page, ".details.shown figure img")
        # The next animation is also paused, and pictures have no button.
        page.keyboard.press("ArrowRight")
        settle(page)
        assert page.evaluate(FILE) == "still.gif" and page.locator(BUTTON).get_attribute("aria-pressed") == "true"
        page.keyboard.press("ArrowRight")
        settle(page)
        assert not page.locator(BUTTON).is_visible()
        page.keyboard.press("ArrowLeft")
        settle(page)
        page.locator(".details.shown .play").click()
        settle(page)
        assert page.evaluate(FILE) == "pager.gif" and page.locator(BUTTON).get_attribute("aria-pressed") == "false"
        assert page.evaluate("document.activeElement.tagName") == "H2"


def test_the_overlay_pauses_and_resumes_the_animation(b):
    with b.page(gallery="animations") as page:
        open_animation(page)
        enlarge(page)
        layers = "[...document.querySelectorAll('.frame > img')].map(img => img.src.split('-').at(-1))"
        wait(page, f"{layers}.join() === 'overlay.gif'")
        width = page.evaluate("document.querySelector('.frame').offsetWidth")
        page.locator(".overlay .motion").click()
        wait(page, f"{layers}.join() === 'still.gif'")
        assert page.locator(".overlay .motion").get_attribute("aria-pressed") == "true"
        page.set_viewport_size({"width": 1281, "height": 800})
        settle(page)
        assert abs(page.evaluate("document.querySelector('.frame').offsetWidth") - width) < 2
        page.locator(".overlay .motion").click()
        wait(page, f"{layers}.join() === 'overlay.gif'")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        settle(page)
        assert not page.locator(".overlay .motion").is_visible()


def test_reduced_motion_pauses_animations(b):
    with b.page(gallery="animations", reduced_motion="reduce") as page:
        open_animation(page)
        assert page.evaluate(FILE) == "still.gif" and page.locator(BUTTON).get_attribute("aria-pressed") == "true"
        assert page.locator(".details.shown .play").is_visible()
        assert not [url for url in page.requested if "-pager.gif" in url or "-overlay.gif" in url]
        page.locator(BUTTON).click()
        settle(page)
        assert page.evaluate(FILE) == "pager.gif"


def test_without_scripts_a_link_shows_the_animation(b):
    for path, figure in (("2024/05-03.html", "figure"), ("index.html#2024-05-03", ".details:target figure")):
        with b.page(path, gallery="animations", java_script_enabled=False) as page:
            assert "-still.gif" in page.locator(f"{figure} img").get_attribute("src")
            page.locator(f"{figure} .play").click()
            assert page.url.endswith("-pager.gif"), page.url
