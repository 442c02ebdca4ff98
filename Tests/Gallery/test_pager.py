"""The pager: keys, buttons, wheel, swipes, preloading, thumbnails."""

from browser import PHONE, lift, open_first, order, settle, shown, swipe, wait, wait_for_slide, wheel

RESTS = """(() => {
    const { scrollLeft, clientWidth } = document.querySelector('.strip'), index = scrollLeft / clientWidth;
    return Math.abs(index - Math.round(index)) < .01
        && location.hash.slice(1) === document.querySelector('.details.shown').id;
})()"""


def test_arrow_keys_and_buttons_turn_pictures_and_announce_them(b):
    with b.page() as page:
        id = open_first(page)
        slides = order(page)
        at = slides.index(id)
        page.keyboard.press("ArrowRight")
        wait_for_slide(page, slides[at + 1])
        assert page.evaluate("location.hash") == "#" + slides[at + 1]
        text = page.locator(".status").first.text_content()
        title = page.locator(f"[id='{slides[at + 1]}'] h2").text_content()
        assert title in text and f"{at + 2} of {len(slides)}" in text, text
        page.keyboard.press("ArrowLeft")
        wait_for_slide(page, id)
        page.locator(".viewer .on").click()
        wait_for_slide(page, slides[at + 1])
        page.locator(".viewer .back").click()
        wait_for_slide(page, id)
        # A single task presses three keys before the strip scrolls, even on a busy machine.
        key = "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }))"
        page.evaluate(f"{{ {key}; {key}; {key}; }}")
        wait_for_slide(page, slides[at + 3])
        settle(page)
        assert shown(page) == slides[at + 3]
        page.keyboard.press("Escape")
        settle(page)
        # The tile of the last shown picture has the focus.
        assert page.evaluate("document.activeElement.hash") == "#" + slides[at + 3]


def test_only_neighbours_are_preloaded(b):
    with b.page() as page:
        files = page.evaluate("[...document.querySelectorAll('.details')].map(d => d.querySelector('figure img')?.src)")
        slides = order(page)
        settle(page)
        before = {url for url in page.requested if url in files}
        assert len(before) <= 1, before  # the newest picture, which is large
        page.locator(".tile:not(.missing) a").nth(9).click()
        settle(page)
        at = slides.index(shown(page))
        asked = {files.index(url) for url in page.requested if url in files} - {0}
        assert asked <= {at - 1, at, at + 1} and at in asked, (asked, at)
        page.keyboard.press("ArrowRight")
        settle(page)
        asked = {files.index(url) for url in page.requested if url in files} - {0}
        assert asked <= {at - 1, at, at + 1, at + 2}, (asked, at)


def test_swipes_settle_even_if_interrupted(b):
    with b.page(**PHONE) as page:
        client = page.context.new_cdp_session(page)
        id = open_first(page)
        slides = order(page)
        at = slides.index(id)
        swipe(client, page, 330, 300, 60, 300)
        wait_for_slide(page, slides[at + 1])
        swipe(client, page, 60, 300, 330, 300)
        wait_for_slide(page, id)
        # If a short pull is held and then released, the strip returns to the slide.
        swipe(client, page, 300, 300, 240, 300, pause=40, lifts=False)
        settle(page)
        pulled = page.evaluate("document.querySelector('.strip').scrollLeft % innerWidth")
        assert pulled > 5, "the strip does not follow the finger"
        lift(client, page)
        settle(page)
        assert page.evaluate(RESTS) and shown(page) == id
        # A swipe that a second finger or the browser cancels.
        swipe(client, page, 330, 300, 150, 300, lifts=False)
        lift(client, page, "touchCancel")
        settle(page)
        assert page.evaluate(RESTS)
        # A swipe in the opposite direction while the strip moves.
        swipe(client, page, 330, 300, 60, 300, steps=4)
        swipe(client, page, 60, 300, 200, 300, steps=4)
        settle(page)
        assert page.evaluate(RESTS)


def test_wheel_turns_pictures(b):
    with b.page() as page:
        id = open_first(page, 3)
        slides = order(page)
        at = slides.index(id)
        page.mouse.move(400, 400)
        for step, (x, y) in enumerate(((120, 0), (0, 120)), 1):
            wheel(page, x, y)
            wait_for_slide(page, slides[at + step])
            settle(page)
            assert page.evaluate(RESTS) and shown(page) == slides[at + step], "the strip did not settle"
        for _ in range(20):  # a touchpad: small steps, which the browser itself scrolls and snaps
            wheel(page, 45, 0)
        settle(page)
        assert page.evaluate(RESTS), "the strip did not settle"


def test_resize_keeps_the_slide(b):
    with b.page() as page:
        id = open_first(page, 4)
        for size in ((390, 844), (844, 390), (2000, 900)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            settle(page)
            assert shown(page) == id and page.evaluate(RESTS), size


def test_wide_windows_show_thumbnails_below_the_pager(b):
    with b.page(width=1440, height=900) as page:
        open_first(page, 4)
        slides, links = order(page), page.locator(".thumbnails a")
        assert links.count() == len(slides)
        links.nth(2).click()
        wait_for_slide(page, slides[2])
        # From a thumbnail, keys turn pictures, and the focus follows.
        for at in (3, 4):
            page.keyboard.press("ArrowRight")
            wait_for_slide(page, slides[at])
            settle(page)
            assert page.evaluate("document.activeElement.matches('.thumbnails [aria-current=true][tabindex=\"0\"]')")
            assert page.evaluate("document.activeElement.hash") == "#" + slides[at]
            assert page.locator(".thumbnails :is([aria-current=true], [tabindex='0'])").count() == 1
        # The thumbnail of the last picture is scrolled into view, and covers no picture.
        page.evaluate(f"location.hash = '{slides[-1]}'")
        wait_for_slide(page, slides[-1])
        wait(
            page,
            """(() => {
            const strip = document.querySelector('.thumbnails').getBoundingClientRect();
            const last = document.querySelector('.thumbnails a:last-child').getBoundingClientRect();
            const picture = document.querySelector('.details.shown figure').getBoundingClientRect();
            return last.left >= strip.left && last.right <= strip.right && picture.bottom <= strip.top + .5;
        })()""",
        )
        for width, height in ((390, 844), (844, 390)):
            page.set_viewport_size({"width": width, "height": height})
            assert not page.locator(".thumbnails").is_visible(), width
    with b.page("pages/2021-03.html", width=1440, height=900) as page:
        open_first(page)
        assert not page.locator(".thumbnails").count()
