#!/usr/bin/env python3
"""Walks the dashboard in a real Chromium, as people with a mouse, a keyboard or no JavaScript do.

    browser_test.py GARNER [--all] [--screenshots FOLDER]

It starts `garner demo --browse`, a service with hostile records, and one with a hundred streams, and visits their pages at
several widths, light and dark, with and without JavaScript. It fails on an error in the console, a serious finding of axe, a
page that scrolls sideways, anything that is cut off, a control that the keyboard does not reach, a link that leads nowhere, and
on foreign text that becomes more than text. With --all it walks every page in every combination, and a table of a million rows.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time
import urllib.error
import urllib.parse

from chromium import Browser
from scenes import HOSTILE, hostile, large, museum
from services import Dashboard, run
from selenium.webdriver.common.keys import Keys

HERE = pathlib.Path(__file__).parent
FAULTS, INERT, KEYBOARD = ((HERE / name).read_text() for name in ("faults.js", "inert.js", "keyboard.js"))
WIDTHS = (360, 1280, 2560)
failures = []


def fail(message):
    failures.append(message)
    print(f"error: {message}", flush=True)


def quoted(text):
    return urllib.parse.quote(text, safe="")


def check_page(browser, service, path, widths, axe_widths=()):
    """Opens a page, and looks at it at each width."""
    browser.width(widths[0])
    browser.open(service.url + path)
    for width in widths:
        place = f"{path} at {width} px, {browser.name}"
        browser.width(width)
        if text := browser.alert():
            fail(f"{place}: an alert says {text}")
            return
        for fault in browser.evaluate(FAULTS):
            fail(f"{place}: {fault}")
        for foreign in browser.evaluate(INERT):
            fail(f"{place}: it has {foreign}")
        if width in axe_widths and browser.script:
            for finding in browser.axe_findings():
                nodes = "; ".join(node["html"][:100] for node in finding["nodes"][:3])
                fail(f"{place}: axe: {finding['help']}: {nodes}")
        for message in browser.errors():
            # A page of an error is one, and Chromium says so.
            if "the server responded with a status of 4" not in message:
                fail(f"{place}: the console says: {message}")


def check_links(browser, service, paths, limit):
    """Follows every link of the pages once, to the place in the page that it names."""
    seen = {}
    for path in paths:
        browser.open(service.url + path)
        for link in browser.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"):
            address, _, place = link.partition("#")
            if address.startswith("http"):
                continue  # a record's own link
            if not address:
                if not browser.evaluate(f"Boolean(document.getElementById('{place}'))"):
                    fail(f"{path}: the link {link} names a place that is not there")
                continue
            if address in seen or len(seen) >= limit:
                continue
            try:
                seen[address] = service.get(address)
            except urllib.error.HTTPError as error:
                seen[address] = error.read()
                fail(f"{path}: the link {link[:200]} answers {error.code}")
            if place and f'id="{place}"'.encode() not in seen[address]:
                fail(f"{path}: the link {link[:200]} names a place that is not there")


def check_keyboard(browser, service, path):
    """Everything that can be clicked can be reached by Tab, and shows that it has the focus, whatever is unfolded."""
    browser.width(1280)
    for unfolded in (False, True):
        browser.open(service.url + path)
        if unfolded:
            browser.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        count = browser.evaluate(KEYBOARD)
        for start in range(0, count, 50):
            browser.press(*[Keys.TAB] * min(50, count - start))
        missing, unseen = browser.evaluate("window.keyboardReport()")
        for control in missing[:3]:
            fail(f"{path}: the keyboard does not reach {control}, with all {'un' if unfolded else ''}folded; {len(missing)} in all")
        for control in unseen[:3]:
            fail(f"{path}: {control} does not show that it has the focus")


RUNS_TODAY = "[...document.querySelectorAll('dt')].find(e => e.textContent === 'Runs today').nextElementSibling.textContent"


def manual_runs(service):
    return {r["run_id"] for r in service.json("/runs.json") if r["stream"] == "zoo.animals" and r["trigger"] == "manual"}


def check_sync(browser, service, press):
    """Pressing 'Sync now' changes the count of runs on the page."""
    browser.width(1280)
    browser.open(service.url + "/")
    known, shown = manual_runs(service), browser.evaluate(RUNS_TODAY)
    press(browser)
    if not browser.wait(lambda: manual_runs(service) - known):
        fail(f"'Sync now' began no run, {browser.name}")
    elif not browser.wait(lambda: browser.evaluate(f"document.readyState === 'complete' ? {RUNS_TODAY} : '{shown}'") != shown):
        fail(f"'Sync now' did not change the count of runs, which is {shown}, {browser.name}")


def press_with_mouse(browser):
    browser.click(browser.find("button[aria-label*='zoo.animals'], form[action*='zoo%2Eanimals'] button"))


def press_with_keyboard(browser):
    if not browser.tab_to("e.matches(\"form[action*='animals/sync'] button\")"):
        fail("the keyboard does not reach 'Sync now'")
    browser.press(Keys.ENTER)


def check_live(browser, service):
    """A page that stays open comes to show what has changed since, and is not loaded anew."""
    browser.open(service.url + "/")
    if not browser.wait(lambda: browser.evaluate("document.querySelector('.live').matches('.on')")):
        fail("a page does not come to listen for changes")
    shown = browser.evaluate(RUNS_TODAY)
    browser.evaluate("window.sameDocument = true")
    service.post("/streams/zoo%2Eanimals/sync")
    if not browser.wait(lambda: browser.evaluate(RUNS_TODAY) != shown):
        fail("an open page does not follow what has changed")
    if not browser.evaluate("window.sameDocument"):
        fail("an open page was loaded anew")


def check_way(browser, service, by):
    """From the front page to a record and its table's search, by the keyboard alone or by the mouse."""
    browser.width(1280)
    browser.open(service.url + "/")
    way = [("/tables", "nav a[href='/tables']"), ("/tables/animals", "main a[href='/tables/animals']"),
           ("/tables/animals/", "main a[href^='/tables/animals/']")]
    for path, css in way:
        if by == "keyboard":
            if not browser.tab_to(f'e.matches("{css}")'):
                return fail(f"the keyboard does not reach {css}, {browser.name}")
            browser.press(Keys.ENTER)
        else:
            browser.click(browser.find(css))
        if not browser.wait(lambda: urllib.parse.urlsplit(browser.driver.current_url).path.startswith(path)):
            return fail(f"{by}: {css} does not lead to {path}, {browser.name}")
    browser.open(service.url + "/tables/animals")
    if by == "keyboard":
        browser.tab_to("e.matches('input[type=search]')")
    else:
        browser.click(browser.find("input[type=search]"))
    browser.press("krill", Keys.ENTER)
    if not browser.wait(lambda: "_q=krill" in browser.driver.current_url):
        fail(f"{by}: the search leads nowhere, {browser.name}")


def check_export(browser, service):
    """The CSV that a table's page links to is what `garner export` writes, to the last byte."""
    for query, where in (("", []), ("?animal_type=Mammal&lifespan__gte=20", ["--where", "animal_type = 'Mammal' AND lifespan >= 20"])):
        browser.open(f"{service.url}/tables/animals{query}")
        link = browser.evaluate("[...document.querySelectorAll('a')].find(a => a.textContent === 'CSV').getAttribute('href')")
        exported = run(service.garner, "export", "animals", *where, folder=service.folder / "demo")
        if not exported or service.get(link) != exported:
            fail(f"{link} differs from garner export animals {' '.join(where)}")


# Pages that say what is wrong with an address. Their twins say so, too.
WRONG = {"/query?sql=SELEC", "/tables/nothing"}


def demo_pages(service):
    runs, key = service.json("/runs.json"), service.json("/tables/animals.json")[0]["id"]
    sql = quoted("SELECT animal_type, count(*) AS animals FROM animals GROUP BY 1 ORDER BY 2 DESC")
    curve = quoted("SELECT id, lifespan FROM animals ORDER BY id")
    return [
        "/", "/?state=in%20step", "/?q=nothing", "/streams/zoo%2Eanimals", "/streams/zoo%2Erandom_animal", "/runs",
        "/runs?status=failed", f"/runs/{runs[-1]['run_id']}", f"/runs/{runs[0]['run_id']}", "/tables", "/tables/animals",
        "/tables/animals?animal_type=Mammal&_sort_desc=lifespan", "/tables/animals?_q=nothing", f"/tables/animals/{key}",
        "/tables/animals/67", "/tables/random_animal", "/changes", "/query", f"/query?sql={sql}", f"/query?sql={curve}",
        "/query?sql=SELEC", "/demo", "/tables/nothing", "/login",
    ]


def hostile_pages(service):
    runs = [run["run_id"] for run in service.json("/runs.json")]
    column = quoted("<script>alert(1)</script>")
    keys = [text for text in HOSTILE if len(text) < 200]
    return [
        "/", "/streams/hostile%2Erecords", "/streams/hostile%2Efailing", "/runs", *[f"/runs/{number}" for number in runs],
        "/tables", "/tables/records", f"/tables/records?text={quoted(HOSTILE[0])}", f"/tables/records?_sort={column}",
        f"/tables/records?_q={quoted(HOSTILE[3])}", *[f"/tables/records/{quoted(key)}" for key in keys],
        "/tables/records/16", "/tables/records__nested", "/changes", f"/query?sql={quoted('SELECT * FROM records')}",
        f"/query?sql={quoted(HOSTILE[6])}", f"/{quoted(HOSTILE[1])}", f"/tables/{quoted(HOSTILE[0])}",
        f"/tables/records?{quoted(HOSTILE[3])}=1", f"/runs?stream={quoted(HOSTILE[1])}",
    ]


def large_pages(service):
    return [
        "/", "/?state=failing", "/streams/many%2Estream_001", "/streams/many%2Eitems", "/runs", "/runs?span=7d",
        "/runs?status=failed", "/tables", "/tables/items", "/tables/items?_sort=code", "/tables/items?_sort_desc=id",
        "/tables/items?kind=kind%203", "/tables/items?weight__gt=100&_sort_desc=name", "/tables/items/999999", "/changes",
        f"/query?sql={quoted('SELECT kind, count(*) AS items FROM items GROUP BY kind')}",
    ]


def combinations(everything):
    """Returns the browsers to walk with: dark or light, with or without JavaScript, the widths, and those where axe looks."""
    if everything:
        return [(dark, script, WIDTHS, WIDTHS) for dark in (False, True) for script in (True, False)]
    return [(False, True, WIDTHS, (360,)), (True, True, (1280,), (1280,)), (False, False, (360,), ())]


def walk_demo(garner, folder, everything):
    with Dashboard(garner, "demo", "--browse", "--folder", "demo", folder=folder) as service:
        paths = demo_pages(service)
        for dark, script, widths, axe_widths in combinations(everything):
            with Browser(folder, dark, script) as browser:
                for path in paths:
                    check_page(browser, service, path, widths, axe_widths)
                if dark:
                    continue
                check_sync(browser, service, press_with_mouse)
                check_sync(browser, service, press_with_keyboard)
                check_way(browser, service, "mouse")
                check_way(browser, service, "keyboard")
                if script:
                    check_live(browser, service)
                    check_links(browser, service, [path for path in paths if path not in WRONG], 2000 if everything else 150)
                    for path in paths if everything else ("/", "/streams/zoo%2Eanimals", "/tables/animals", "/query"):
                        check_keyboard(browser, service, path)
                    check_export(browser, service)


def walk_hostile(garner, folder, everything):
    with hostile(garner, folder) as service:
        paths = hostile_pages(service)
        for dark, script, widths, axe_widths in combinations(everything):
            if dark and not everything:
                continue
            with Browser(folder, dark, script) as browser:
                for path in paths:
                    check_page(browser, service, path, widths if everything else (360,), axe_widths if everything else ())
                if script and not dark:
                    check_links(browser, service, [path for path in paths if not path.startswith("/query?")], 1000 if everything else 100)


def walk_large(garner, folder, everything):
    size = {} if everything else {"rows": 20_000, "runs": 2_000}
    with large(garner, folder, **size) as service:
        paths = large_pages(service) if everything else ["/", "/runs?span=7d", "/tables/items?_sort=code"]
        for dark, script, widths, axe_widths in combinations(everything)[: 4 if everything else 1]:
            with Browser(folder, dark, script) as browser:
                for path in paths:
                    check_page(browser, service, path, widths, axe_widths if everything else (1280,))
                if everything and script and not dark:
                    check_links(browser, service, paths, 2000)
                    for path in paths:
                        check_keyboard(browser, service, path)


# The pages of which there is a dark picture, too.
DARK = {"streams", "runs", "table", "demo"}


def take_pictures(garner, folder, target):
    """Takes pictures of the main pages."""
    pathlib.Path(target).mkdir(parents=True, exist_ok=True)
    sql = quoted("SELECT animal_type, count(*) AS animals, round(avg(lifespan), 1) AS mean_lifespan\nFROM animals\nGROUP BY animal_type\nORDER BY animals DESC")
    with museum(garner, folder) as service:
        # Its own page is that of the failed run.
        failed = next(r["run_id"] for r in service.json("/runs.json?stream=museum.objects") if r["status"] == "failed")
        paths = {
            "streams": "/", "stream": "/streams/zoo%2Eanimals", "runs": "/runs", "run": f"/runs/{failed}",
            "table": "/tables/animals?animal_type=Mammal&_sort_desc=lifespan", "record": "/tables/animals/3",
            "changes": "/changes", "query": f"/query?sql={sql}",
        }
        photograph(folder, service, paths, target)
    with Dashboard(garner, "demo", "--browse", "--folder", "zoo", folder=folder) as service:
        photograph(folder, service, {"demo": "/demo"}, target)


def photograph(folder, service, paths, target):
    for dark in (False, True):
        with Browser(folder, dark) as browser:
            browser.width(1280)
            for name, path in paths.items():
                browser.open(service.url + path)
                browser.wait(lambda: browser.evaluate("[...document.images].every(image => image.complete)"))
                if not dark or name in DARK:
                    browser.screenshot(f"{target}/{name}-{browser.scheme}.png", 1150)


def main():
    parser = argparse.ArgumentParser(description="Walks the dashboard in a real browser.")
    parser.add_argument("garner")
    parser.add_argument("--all", action="store_true", help="every page in every combination, and a table of a million rows")
    parser.add_argument("--screenshots", metavar="FOLDER", help="only take pictures of the main pages")
    parser.add_argument("--only", choices=["demo", "hostile", "large"], help="walk one service alone")
    options = parser.parse_args()
    garner = os.path.abspath(options.garner)
    if options.screenshots:
        with tempfile.TemporaryDirectory() as folder:
            take_pictures(garner, folder, os.path.abspath(options.screenshots))
        return
    for name, walk in (("demo", walk_demo), ("hostile", walk_hostile), ("large", walk_large)):
        if options.only in (None, name):
            begin = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                walk(garner, folder, options.all)
            print(f"{name}: walked in {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{len(failures)} failures" if failures else "every page is as it should be")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
