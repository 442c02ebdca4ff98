"""The pages of groups, which show the pictures with the same tag."""

import re

from browser import is_open, open_first, settle, shown, wait

from test_safety import ADDRESSES, MARKUP

SIZES = ((320, 640), (1440, 900))


def groups(browser, gallery):
    folder = browser.site.parent / gallery
    return sorted(str(path.relative_to(folder)) for path in folder.glob("groups/*.html"))


def test_groups_need_no_script(browser):
    with browser.page(gallery="groups", java_script_enabled=False) as page:
        page.click(".months[href$='groups/index.html']")
        page.locator(".year a").first.wait_for()
        names = page.locator(".year bdi").all_inner_texts()
        assert names == ["Moon", "sky over mountains", "w" * 100, "\u05d9\u05e8\u05d7"], names
        page.click(".year a")
        page.locator(".tile").first.wait_for()
        assert page.locator("h2").first.inner_text() == "Moon (7 pictures)"
        assert page.locator(".tile").count() == 3
        page.click(".pages [rel=next]")
        page.locator(".pages [rel=prev]").wait_for()
        assert page.locator("h2").first.inner_text() == "Moon, page 1" and page.locator(".tile").count() == 4
        page.click(".tile a")
        article = page.locator("article:target")
        article.wait_for()
        assert article.locator("h2").inner_text() == "Tagged 3"
        article.locator(".credit a").first.click()
        page.locator(".tile").first.wait_for()
        assert page.url.startswith(page.base + "groups/")


def test_tiles_of_a_group_lead_to_the_details_and_back(browser):
    with browser.page(groups(browser, "groups")[0], "groups") as page:
        link = page.get_attribute(".tile a", "href")
        page.click(".tile a")
        wait(page, "document.querySelector('.viewer.open')")
        settle(page)
        assert is_open(page) and shown(page) == link.split("#")[1]
        page.go_back()
        wait(page, "document.querySelector('.grid') && location.pathname.includes('/groups/')")
    # Buttons of the page work there, too.
    with browser.page(groups(browser, "groups")[0], "groups") as page:
        page.click(".random")
        wait(page, "document.querySelector('.viewer.open')")
    with browser.page(gallery="groups") as page:
        open_first(page, 0)
        page.click(".details.shown .credit a")
        wait(page, "location.pathname.includes('/groups/')")
        page.fill("#words", "mountains")
        wait(page, "document.querySelectorAll('.results .tile').length === 2")


def test_pages_of_groups_fit_and_are_accessible(browser):
    # The run with file: tests narrow, light pages, and the run with http: wide, dark pages.
    width, height = SIZES[browser.is_served]
    options = dict(width=width, height=height, color_scheme=("light", "dark")[browser.is_served])
    for path in groups(browser, "groups"):
        # axe requests the style sheet again, which the page forbids.
        with browser.page(path, "groups", faults=False, reduced_motion="reduce", **options) as page:
            settle(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
            found = browser.violations(page)
            assert not found, (path, width, found)


def test_hostile_names_of_groups_are_harmless(browser):
    paths = groups(browser, "hostile")
    assert len(paths) > 200
    for path in [path for path in paths if path.endswith("index.html")] + paths[::25]:
        with browser.page(path, "hostile", width=390) as page:
            assert not page.evaluate(MARKUP), (path, page.evaluate(MARKUP))
            bad = [a for a in page.evaluate(ADDRESSES) if re.match(r"\s*(javascript|data|vbscript|//)", a, re.I)]
            assert not bad, (path, bad)
            links = page.evaluate("[...document.querySelectorAll('main a')].map(a => a.href)")
            assert links and all(link.startswith(page.base) for link in links), (path, links)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
