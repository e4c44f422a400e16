"""A Chromium as a person sees it, and what no page may have in it."""
import base64
import functools
import io
import json
import os
import pathlib
import time

import PIL.Image
from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Pages are as wide, and look the same, wherever they are tested: in Liberation Sans, whose letters are as wide as Arial's.
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include>/etc/fonts/fonts.conf</include>
<selectfont><rejectfont><glob>/usr/share/fonts/truetype/dejavu/*</glob></rejectfont></selectfont>
<alias binding="strong"><family>monospace</family><prefer><family>Liberation Mono</family></prefer></alias>
<match target="pattern"><test name="family" compare="not_eq" qual="all"><string>monospace</string></test>
<edit name="family" mode="append"><string>Liberation Sans</string></edit></match>
</fontconfig>"""


@functools.cache
def axe():
    import axe_playwright_python
    return next(pathlib.Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()


class Browser:
    """A Chromium with one colour scheme, with or without JavaScript."""

    def __init__(self, folder, dark=False, script=True):
        fonts = pathlib.Path(folder, "fonts.conf")
        fonts.write_text(FONTS)
        options = Options()
        options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        if not script:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        driver = os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options, Service(driver, env={**os.environ, "FONTCONFIG_FILE": str(fonts)}))
        self.driver.set_page_load_timeout(120)
        scheme = "dark" if dark else "light"
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.script, self.scheme = script, scheme
        self.name = scheme if script else f"{scheme}, without JavaScript"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def width(self, width):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": False})

    def open(self, url):
        self.driver.get(url)

    def errors(self):
        """What the console says since the last call. A page that is answered with 404 is no fault of a page."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def evaluate(self, expression):
        """Evaluates an expression, also where the page itself may run no script."""
        answer = self.driver.execute_cdp_cmd(
            "Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[:200]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def alert(self):
        """The text of an open alert; None if there is none."""
        try:
            return self.driver.switch_to.alert.text
        except NoAlertPresentException:
            return None

    def axe_findings(self):
        if not self.evaluate("'axe' in window"):
            self.evaluate(f"{axe()}; true")
        result = self.evaluate("axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify(r.violations))")
        return [violation for violation in json.loads(result) if violation["impact"] in ("serious", "critical")]

    def click(self, element):
        """Clicks as a hand does: the pointer goes there, and presses what it meets."""
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": "scrollTo(0, 0)"})
        webdriver.ActionChains(self.driver).scroll_to_element(element).move_to_element(element).click().perform()

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, expression, limit=400):
        """Presses Tab until the expression about the focused element `e` is true; False if it never is."""
        for _ in range(limit):
            self.press(Keys.TAB)
            if self.evaluate(f"(e => Boolean({expression}))(document.activeElement)"):
                return True
        return False

    def wait(self, condition, seconds=20):
        """Waits until `condition` returns something true; False if that takes too long."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if condition():
                return True
            time.sleep(0.1)
        return False

    def find(self, css, text=None):
        return next(e for e in self.driver.find_elements(By.CSS_SELECTOR, css) if text is None or e.text.startswith(text))

    def screenshot(self, path, height):
        size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], height), "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        picture = PIL.Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
        # Pages have few colours, and shades of them at the edges of letters: 256 show all, in a third of the bytes.
        picture.quantize(256, PIL.Image.Quantize.MAXCOVERAGE, dither=PIL.Image.Dither.NONE).save(path, optimize=True)
