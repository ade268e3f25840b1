#!/usr/bin/env python3
"""Pictures of the pages for the README: Tests/Browser/pictures.py VIGIL FOLDER. Waits four minutes, until Ben's fever has raised its alarm."""

import os
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

from suite import CHROMIUM, Suite

PASSWORD = "correct horse battery"
PICTURES = [
    # name, address, width, height, theme, language
    ("overview", "/", 1280, 560, "light", "en"),
    ("monitor", "/p/ben/live", 1280, 720, "dark", "en"),
    ("timeline", "/p/anna/timeline?span=year", 1280, 720, "light", "en"),
    ("alerts", "/alerts", 1280, 420, "light", "en"),
    ("import", "/import", 1280, 860, "light", "en"),
    ("monitor-phone", "/p/anna/live", 360, 740, "night", "de"),
    ("overview-phone", "/", 360, 740, "light", "de"),
]


WEIGHTS = "timestamp,weight\n" + "".join(f"2026-0{1 + day // 28}-{1 + day % 28:02d} 07:00:00,{72.4 - day * 0.03:.1f}\n" for day in range(80))


def small(path):
    """At half size and with few colours: flat pages lose nothing by it."""
    picture = Image.open(path).convert("RGB")
    picture.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)


def main():
    vigil, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    suite = Suite(vigil)
    try:
        suite.start_family()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(suite.base + suite.link)
            page.fill("input[name=new]", PASSWORD)
            page.fill("input[name=again]", PASSWORD)
            page.click("button[type=submit]")
            page.wait_for_selector(".person")
            page.wait_for_selector(".banner[data-priority=high]", timeout=600000)
            # A screen that was measured: its electrocardiogram runs as on paper.
            page.evaluate("() => localStorage.setItem('px-per-mm', '4')")
            page.goto(suite.base + "/import")
            page.locator("input[type=file]").set_input_files([{"name": "scale.csv", "mimeType": "text/csv", "buffer": WEIGHTS.encode()}])
            page.locator("article .chip", has_text="has a question").wait_for()
            for name, address, width, height, theme, language in PICTURES:
                page.set_viewport_size({"width": width, "height": height})
                page.request.patch(
                    suite.base + "/api/v1/me", data={"preferences": {"theme": theme, "language": language}}, headers={"Sec-Fetch-Site": "same-origin"})
                page.goto(suite.base + address)
                page.wait_for_selector("main > *")
                page.wait_for_timeout(14000 if "live" in address else 2500)
                page.screenshot(path=f"{folder}/{name}.png")
                small(f"{folder}/{name}.png")
            browser.close()
    finally:
        suite.stop()


if __name__ == "__main__":
    main()
