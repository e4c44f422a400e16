#!/usr/bin/env python3
"""Walks the dashboard in a real Chromium, as people with a mouse, a keyboard or no JavaScript do.

    browser_test.py GARNER [--all] [--screenshots FOLDER]

It starts `garner demo --browse` in a folder of its own, visits every page at several widths, light and dark, with and
without JavaScript, and fails on a console error, a serious finding of axe, a horizontal scroll bar, or a link that leads
nowhere. With --all it walks every page in every combination, and 100 streams with 10,000 runs and a table of a million rows.
"""
import argparse, json, os, pathlib, signal, socket, subprocess, sys, tempfile, time, urllib.error, urllib.parse, urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WIDTHS = (360, 1280, 2560)
failures = []


def fail(message):
    failures.append(message)
    print(f"error: {message}", flush=True)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def axe_source():
    import axe_playwright_python
    return next(pathlib.Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()


class Dashboard:
    """A running `garner` with a dashboard."""

    def __init__(self, command, folder, port):
        self.url = f"http://127.0.0.1:{port}"
        self.log = open(pathlib.Path(folder) / "garner.log", "w")
        self.process = subprocess.Popen(command, cwd=folder, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(self.url + "/readyz", timeout=5).read()
                return
            except (urllib.error.URLError, OSError):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"garner did not begin to serve; see {self.log.name}")
                time.sleep(0.1)

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as response:
            return response.read()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.log.close()


class Browser:
    """A Chromium with one colour scheme, with or without JavaScript."""

    def __init__(self, dark=False, script=True):
        options = Options()
        options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        if not script:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, Service(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")))
        self.driver.set_page_load_timeout(60)
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.name = f"{'dark' if dark else 'light'}{'' if script else ', without JavaScript'}"
        self.script = script

    def width(self, width):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": False})

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def evaluate(self, expression):
        """Evaluates an expression, also where the page itself may run no script."""
        answer = self.driver.execute_cdp_cmd(
            "Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        return answer["result"].get("value")

    def screenshot(self, path):
        metrics = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        shot = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {"captureBeyondViewport": True,
             "clip": {"x": 0, "y": 0, "width": metrics["width"], "height": min(metrics["height"], 2600), "scale": 1}})
        import base64
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def end(self):
        self.driver.quit()


def check_page(browser, dashboard, path, width, axe):
    place = f"{path} at {width} px, {browser.name}"
    browser.width(width)
    browser.driver.get(dashboard.url + path)
    for message in browser.errors():
        fail(f"{place}: the console says: {message}")
    over = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if over and over > 0:
        widest = browser.evaluate(
            "(() => { const w = document.documentElement.clientWidth; const e = [...document.querySelectorAll('main *')]"
            ".find(e => e.getBoundingClientRect().right > w + 1 && !e.closest('.scroll')); return e ? e.outerHTML.slice(0, 120) : '' })()")
        fail(f"{place}: it scrolls sideways by {over} px: {widest}")
    if not axe or not browser.script:
        return
    result = browser.evaluate(f"{axe}; axe.run(document, {{resultTypes: ['violations']}}).then(r => JSON.stringify(r.violations))")
    for violation in json.loads(result or "[]"):
        if violation["impact"] in ("serious", "critical"):
            nodes = "; ".join(node["html"][:100] for node in violation["nodes"][:3])
            fail(f"{place}: axe: {violation['help']}: {nodes}")


def links_of(browser, dashboard):
    links = browser.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))") or []
    return [link for link in links if link.startswith("/")]


def check_links(dashboard, pages, browser):
    """Follows every link of every page once."""
    seen = set()
    for page in pages:
        browser.driver.get(dashboard.url + page)
        for link in links_of(browser, dashboard):
            link = link.split("#")[0]
            kind = urllib.parse.urlsplit(link).path
            if link in seen or len(seen) > 400:
                continue
            seen.add(link)
            try:
                dashboard.get(link)
            except urllib.error.HTTPError as error:
                fail(f"{page}: the link {link} answers {error.code}")
            except OSError as error:
                fail(f"{page}: the link {kind} answers nothing: {error}")


# What can be clicked and is shown. What a closed <details> holds has a place on the page, but is not shown.
CONTROLS = (
    "[...document.querySelectorAll('a[href],button,input:not([type=hidden]),select,textarea,summary')]"
    ".filter(e => e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true}) && e.tabIndex >= 0)")


def check_keyboard(browser, dashboard, path):
    """Everything that can be clicked can be reached by Tab, and shows that it has the focus, whatever is unfolded."""
    browser.width(1280)
    for unfolded in (False, True):
        browser.driver.get(dashboard.url + path)
        if unfolded:
            browser.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        wanted = int(browser.evaluate(CONTROLS + ".length") or 0)
        reached, hidden = set(), 0
        regions = int(browser.evaluate("document.querySelectorAll('[tabindex=\"0\"]').length") or 0)
        for _ in range(wanted + regions + 5):
            webdriver.ActionChains(browser.driver).send_keys(Keys.TAB).perform()
            place = browser.evaluate(
                "(() => { const e = document.activeElement; const s = getComputedStyle(e);"
                f" return [{CONTROLS}.indexOf(e), s.outlineStyle !== 'none' || e === document.body] }})()")
            if not place:
                break
            reached.add(place[0])
            hidden += 0 if place[1] else 1
        missing = sorted(set(range(wanted)) - reached)
        if missing:
            first = browser.evaluate(f"{CONTROLS}[{missing[0]}].outerHTML.slice(0, 120)")
            fail(f"{path}: the keyboard does not reach {len(missing)} of {wanted} controls, such as {first}")
        if hidden:
            fail(f"{path}: {hidden} controls do not show that they have the focus")


def check_sync(browser, dashboard):
    """Sync now changes the count of runs, by a mouse click without and with JavaScript."""
    before = json.loads(dashboard.get("/runs.json"))[0]["run_id"]
    browser.driver.get(dashboard.url + "/streams/zoo%2Eanimals")
    button = next(b for b in browser.driver.find_elements(By.TAG_NAME, "button") if b.text.startswith("Sync now"))
    button.click()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        runs = json.loads(dashboard.get("/runs.json"))
        if any(run["run_id"] > before and run["stream"] == "zoo.animals" and run["trigger"] == "manual" for run in runs):
            return
        time.sleep(0.2)
    fail(f"Sync now began no run, {browser.name}")


def check_export(dashboard, garner, folder):
    """The CSV of a table's page is what `garner export` writes, to the last byte."""
    exported = subprocess.run([garner, "export", "animals"], cwd=folder, capture_output=True, check=True).stdout
    if dashboard.get("/tables/animals.csv") != exported:
        fail("/tables/animals.csv differs from garner export animals")


def pages_of(dashboard):
    runs = json.loads(dashboard.get("/runs.json"))
    key = json.loads(dashboard.get("/tables/animals.json"))[0]["id"]
    sql = urllib.parse.quote("SELECT animal_type, count(*) AS animals FROM animals GROUP BY 1 ORDER BY 2 DESC")
    return {
        "streams": "/", "stream": "/streams/zoo%2Eanimals", "runs": "/runs", "run": f"/runs/{runs[-1]['run_id']}",
        "tables": "/tables", "table": "/tables/animals", "filtered": "/tables/animals?animal_type=Mammal",
        "record": f"/tables/animals/{key}", "changes": "/changes", "query": f"/query?sql={sql}", "empty query": "/query",
        "demo": "/demo", "error": "/tables/nothing",
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("garner")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--screenshots")
    options = parser.parse_args()
    garner, port, axe = os.path.abspath(options.garner), free_port(), axe_source()
    with tempfile.TemporaryDirectory() as folder:
        dashboard = Dashboard([garner, "demo", "--browse", "--listen", f"127.0.0.1:{port}", "--folder", "demo"], folder, port)
        try:
            pages = pages_of(dashboard)
            for dark, script in ((False, True), (True, True), (False, False)):
                browser = Browser(dark, script)
                try:
                    widths = WIDTHS if options.all or not dark else (1280,)
                    for name, path in pages.items():
                        for width in widths:
                            is_error = name == "error"
                            check_page(browser, dashboard, path, width, None if is_error else axe) if not is_error else browser.driver.get(dashboard.url + path)
                            browser.errors()
                            if options.screenshots and script and width in (360, 1280) and not is_error:
                                scheme = "dark" if dark else "light"
                                browser.screenshot(f"{options.screenshots}/{name.replace(' ', '-')}-{width}-{scheme}.png")
                    check_sync(browser, dashboard)
                    if not dark and script:
                        check_links(dashboard, [p for n, p in pages.items() if n != "error"], browser)
                        for name in ("streams", "table", "query") if not options.all else [n for n in pages if n != "error"]:
                            check_keyboard(browser, dashboard, pages[name])
                finally:
                    browser.end()
            check_export(dashboard, garner, pathlib.Path(folder) / "demo")
        finally:
            dashboard.end()
    print(f"{len(failures)} failures" if failures else "every page is as it should be")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
