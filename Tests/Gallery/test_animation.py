"""Animations and movies: stills on tiles, a button that pauses animations, and a player for movie files."""

import io

from PIL import Image

from browser import enlarge, order, search, settle, wait, wait_for_slide

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
        assert [mark != "none" for mark in page.evaluate(marks)] == [True, True, False, True], page.evaluate(marks)
        assert not [url for url in page.requested if "-pager.gif" in url or "-overlay.gif" in url]


def test_a_button_pauses_and_resumes_the_animation(b):
    with b.page(gallery="animations") as page:
        open_animation(page)
        assert page.evaluate(FILE) == "pager.gif" and not page.locator(".details.shown .play").is_visible()
        wait(page, "document.querySelector('.details.shown figure img').complete")
        # The animation ends with a red frame.
        while not is_red(page, ".details.shown figure img"):
            pass
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


MOVIE = "https://movies.example/a.webm"


def test_a_movie_file_is_played_in_the_page_after_a_click(b):
    with b.page("index.html", gallery="animations") as page:
        policy = page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
        assert policy.endswith("; media-src https://movies.example"), policy
        # A recording of a canvas is a movie that each browser can play.
        page.evaluate(RECORD)
        wait(page, "window.movie")
        movie = bytes(page.evaluate("window.movie"))
        page.route(MOVIE, lambda route: route.fulfill(content_type="video/webm", body=movie))
        open_animation(page, 3)
        play = page.locator(".details.shown .play")
        assert play.get_attribute("href") == MOVIE and not page.locator("video").count()
        assert MOVIE not in page.requested
        play.click()
        video = page.locator(".details.shown figure video")
        wait(page, "document.querySelector('video').currentTime > 0")
        assert video.evaluate("video => video.controls && video === document.activeElement")
        # Keys that control the player do not turn pictures.
        page.keyboard.press("ArrowLeft")
        settle(page)
        assert video.count()
        page.locator(".viewer .back").click()
        settle(page)
        assert not page.locator("video").count(), "a player stays in a slide that is not shown"
        page.requested.remove(MOVIE)
    with b.page("pages/2024-05.html", gallery="animations") as page:
        assert "media-src" not in page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")


RECORD = """async () => {
    const canvas = document.createElement('canvas'), context = canvas.getContext('2d'), parts = [];
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' });
    recorder.ondataavailable = e => parts.push(e.data);
    recorder.onstop = async () => { window.movie = [...new Uint8Array(await new Blob(parts).arrayBuffer())]; };
    recorder.start();
    for (let i = 0; i < 30; i++) {
        context.fillStyle = i % 2 ? '#204080' : '#802040';
        context.fillRect(0, 0, 300, 150);
        await new Promise(done => setTimeout(done, 30));
    }
    recorder.stop();
}"""


def test_a_movie_that_cannot_be_played_leaves_its_link(b):
    with b.page("pages/2024-04.html", gallery="animations", faults=False) as page:
        page.route(MOVIE, lambda route: route.abort())
        open_animation(page)
        page.locator(".details.shown .play").click()
        wait(page, "/cannot be played/.test(document.querySelector('.status.seen')?.textContent)")
        assert not page.locator("video").count() and page.locator(".details.shown .play").is_visible()
        page.requested[:] = [url for url in page.requested if url != MOVIE]
    for path in ("pages/2024-04.html", "2024/04-01.html"):
        with b.page(path, gallery="animations", java_script_enabled=False) as page:
            assert page.locator(".play").get_attribute("href") == MOVIE


def test_the_search_finds_movies_and_shows_their_play_mark(b):
    with b.page(gallery="animations") as page:
        search(page, "comet")
        tile = page.locator(".results .tile")
        assert tile.count() == 1 and "video" in tile.get_attribute("class") and not tile.locator(".reason").count()
        assert page.locator(".results .caption").is_visible()
