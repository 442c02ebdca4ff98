"""The page of each picture."""

import re

from browser import is_open, pictured, settle, shown, wait

SHIFT = """new PerformanceObserver(list => { for (const entry of list.getEntries()) window.shift = (window.shift || 0)
    + entry.value; }).observe({ type: 'layout-shift', buffered: true });"""


def page_of(id):
    return f"{id[:4]}/{id[5:]}.html" if re.match(r"\d{4}-", id) else f"undated/{id}.html"


def some_pictures(browser):
    with browser.page() as page:
        return pictured(page)


def test_picture_page_needs_no_script(browser):
    id = some_pictures(browser)[1]
    with browser.page(page_of(id), java_script_enabled=False) as page:
        title = page.locator("h1").inner_text()
        assert title and page.title().startswith(title), page.title()
        assert page.locator("figure img").get_attribute("alt")
        assert not [url for url in page.requested if url.endswith(".js")]
        page.click(".steps [rel=next]")
        assert not page.url.endswith(page_of(id))
        page.click(".steps [rel=prev]")
        assert page.url.endswith(page_of(id)) and page.locator("h1").inner_text() == title


def test_picture_page_leads_to_the_gallery_and_back(browser):
    id = some_pictures(browser)[1]
    with browser.page(page_of(id)) as page:
        page.click(".months")
        wait(page, "document.querySelector('.viewer.open')")
        settle(page)
        assert is_open(page) and shown(page) == id
        page.click(".details.shown .own")
        wait(page, "document.querySelector('.alone')")
        assert page.url.endswith(page_of(id))


def test_every_picture_has_a_page_and_there_are_no_other_pages(browser):
    folder = browser.site
    wanted = {page_of(record["gallery"]["id"]) for record in browser.records()}
    made = {str(path.relative_to(folder)) for name in ("undated", "[0-9]*") for path in folder.glob(f"{name}/*.html")}
    assert made == wanted, made ^ wanted


def test_picture_pages_fit_without_shifts_and_are_accessible(browser):
    folder = browser.site
    paths = [page_of(id) for id in some_pictures(browser)[:1]]
    paths += [str(path.relative_to(folder)) for path in sorted(folder.glob("undated/*.html"))[:1]]
    missing = [record for record in browser.records() if "variants" not in record]
    paths += [page_of(record["gallery"]["id"]) for record in missing[:1]]
    # The run with file: tests half of these, and the run with http: the other half.
    cases = [(path, *size) for path in paths for size in ((320, 640), (844, 390), (1440, 900))]
    for path, width, height in cases[browser.is_served :: 2]:
        # axe requests the style sheet again. The page's Content-Security-Policy forbids this, which is a fault.
        with browser.page(path, width=width, height=height, init=SHIFT, faults=False) as page:
            settle(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
            assert page.evaluate("!(window.shift > 0.001)"), (path, width, page.evaluate("window.shift"))
            found = browser.violations(page)
            assert not found, (path, width, found)


def test_hostile_texts_do_not_run_on_picture_pages(browser):
    pages = [path.relative_to(browser.hostile) for path in browser.hostile.glob("*/*.html")]
    paths = sorted(path for path in pages if path.parent.name not in ("pages", "groups"))[::40]
    assert paths
    for path in paths:
        with browser.page(str(path), "hostile") as page:
            assert not page.locator("script").count()
            assert page.locator("link[rel=canonical]").get_attribute("href") == f"https://example.org/{path}"
            assert page.locator("meta[property='og:url']").get_attribute("content") == f"https://example.org/{path}"
