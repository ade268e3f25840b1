#!/usr/bin/env python3
"""Measures in a real browser what the pages feel like on a large timeline: first paint, the answer to each click, and the server's share.

    Tests/Browser/speed.py .build/release/vigil postgresql://postgres@localhost/pages

The database is what `deploy/bench page-day --database` made. Ends with 1 where a goal is missed.
"""

import random
import statistics
import sys
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from suite import CHROMIUM, LargeTimeline

ROUNDS = 5
FIRST_PAINT, INTERACTION, SERVER = 300, 100, 50
# The generated timeline ends here: 1 November 2026.
END = 1793491200
PAGES = {
    "overview": "/", "monitor": "/p/{who}/live", "day": "/p/{who}/timeline?span=day&to={end}", "week": "/p/{who}/timeline?span=week&to={end}",
    "month": "/p/{who}/timeline?span=month&to={end}", "year": "/p/{who}/timeline?span=year&to={end}",
    "decade": "/p/{who}/timeline?span=decade&to={end}", "summary": "/p/{who}/summary", "metric, a day": "/p/{who}/metric/heart-rate?from={day}&to={end}",
    "metric, a year": "/p/{who}/metric/heart-rate?from={year}&to={end}", "metric, ten years": "/p/{who}/metric/steps?from={decade}&to={end}",
    "alerts": "/alerts", "devices": "/devices", "import": "/import", "settings": "/settings", "people": "/people", "audit": "/audit",
}
PAINT = """() => performance.getEntriesByType('paint').find(entry => entry.name === 'first-contentful-paint')?.startTime ?? null"""
SERVED = """() => performance.getEntriesByType('resource').filter(entry => entry.name.includes('/api/v1/') && !entry.name.includes('/live'))
    .map(entry => [new URL(entry.name).pathname, entry.responseStart - entry.requestStart])"""
# The time from an input to the next frame that shows what it did, as browsers tell it; shorter ones than a frame are not told.
WATCH = """() => { window.slow = []; performance.clearResourceTimings();
    new PerformanceObserver(list => window.slow.push(...list.getEntries().filter(entry => entry.interactionId).map(entry => entry.duration)))
        .observe({ type: 'event', durationThreshold: 16 }); }"""


class Figures:
    """What was measured, by name."""

    def __init__(self):
        self.values = {}
        self.missed = []

    def add(self, name, milliseconds):
        self.values.setdefault(name, []).append(milliseconds)

    def tell(self, title, goal):
        print(f"\n{title} (ms; goal ≤ {goal})\n{'':36}{'median':>8}{'most':>8}{'n':>6}")
        for name, values in self.values.items():
            middle, most = statistics.median(values), max(values)
            if middle > goal:
                self.missed.append(f"{title}: {name}")
            print(f"{name:36}{middle:8.0f}{most:8.0f}{len(values):6}{'  MISSED' if middle > goal else '  slowest over' if most > goal else ''}")


def route(path):
    """A request's path without whose it is."""
    return "/".join("{id}" if part.startswith("person-") else part for part in path.split("/"))


class Visitor:
    """Somebody who goes through the pages."""

    def __init__(self, browser, suite, participants):
        self.suite, self.participants = suite, participants
        self.context = browser.new_context(viewport={"width": 1280, "height": 800})
        self.context.set_default_timeout(60000)
        self.painted, self.answered, self.served = Figures(), Figures(), Figures()

    def sign_in(self):
        page = self.context.new_page()
        page.goto(self.suite.base + self.suite.link)
        for name in ("new", "again"):
            page.fill(f"input[name={name}]", "correct horse battery")
        page.click("button[type=submit]")
        page.wait_for_selector(".person")
        page.close()

    def address(self, pattern):
        who = quote(f"person-{random.randint(1, self.participants)}")
        return self.suite.base + pattern.format(who=who, end=END, day=END - 86400, year=END - 365 * 86400, decade=END - 3652 * 86400)

    def open(self, name):
        page = self.context.new_page()
        page.goto(self.address(PAGES[name]))
        page.wait_for_load_state("load")
        page.wait_for_function("() => document.querySelector('main')?.childElementCount > 0 && !document.querySelector('main .skeleton')")
        page.wait_for_timeout(400)
        self.painted.add(name, page.evaluate(PAINT))
        for path, spent in page.evaluate(SERVED):
            self.served.add(route(path), spent)
        return page

    def act(self, page, name, action):
        """Does something to a page and waits for all it asked for."""
        page.evaluate("() => { window.slow.length = 0; }")
        action()
        page.wait_for_timeout(500)
        # What was shorter than the shortest that browsers tell took one frame.
        self.answered.add(name, max(page.evaluate("() => window.slow"), default=16))
        for path, spent in page.evaluate(SERVED):
            self.served.add(route(path), spent)
        page.evaluate("() => performance.clearResourceTimings()")

    def work(self):
        self.timeline()
        self.metric()
        self.overview()

    def timeline(self):
        page = self.open("day")
        page.evaluate(WATCH)
        for span in ("Week", "Month", "Year", "Decade", "Day"):
            self.act(page, f"timeline: {span.lower()}", lambda span=span: page.locator(".spans button", has_text=span).click())
        self.act(page, "timeline: earlier", lambda: page.get_by_label("Earlier").click())
        self.act(page, "timeline: later", lambda: page.get_by_label("Later").click())
        page.close()

    def metric(self):
        page = self.open("metric, a year")
        page.evaluate(WATCH)
        for span in ("Day", "Week", "Month", "Year", "All"):
            self.act(page, f"metric: {span.lower()}", lambda span=span: page.locator("main > .row button", has_text=span).first.click())
        for by in ("hour", "month", "weekday"):
            self.act(page, f"metric: by {by}", lambda by=by: page.locator("select").filter(has=page.locator(f"option[value={by}]")).select_option(by))
        page.close()

    def overview(self):
        page = self.open("overview")
        page.evaluate(WATCH)
        who = f"person-{random.randint(1, self.participants)}"
        self.act(page, "overview: typing a name", lambda: page.locator("input[type=search]").press_sequentially(who, delay=60))
        self.act(page, "overview: to the monitor", lambda: page.locator(".person:not(.hidden) .who a").first.click())
        for link, name in (("/alerts", "alerts"), ("/devices", "devices"), ("/people", "people"), ("/", "overview")):
            self.act(page, f"menu: {name}", lambda link=link: self.choose(page, link))
        page.close()

    @staticmethod
    def choose(page, link):
        page.get_by_label("Menu").first.click()
        page.locator(f"dialog nav a[href='{link}']").click()


def main():
    vigil, database = sys.argv[1:]
    suite = LargeTimeline(vigil, database)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            visitor = Visitor(browser, suite, suite.participants)
            visitor.sign_in()
            for number in range(ROUNDS):
                for name in PAGES:
                    visitor.open(name).close()
                visitor.work()
                print(f"round {number + 1} of {ROUNDS}", flush=True)
            browser.close()
    finally:
        suite.stop()
    visitor.painted.tell("First paint of a page", FIRST_PAINT)
    visitor.answered.tell("From a click to the next frame", INTERACTION)
    visitor.served.tell("The server's share of a request", SERVER)
    missed = visitor.painted.missed + visitor.answered.missed + visitor.served.missed
    sys.exit("missed: " + ", ".join(missed) if missed else 0)


if __name__ == "__main__":
    main()
