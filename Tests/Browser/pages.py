#!/usr/bin/env python3
"""Tries the dashboard's pages as people do, in a real browser against the real suite. Any error of a page's script fails the run.

    Tests/Browser/pages.py .build/debug/vigil [NAME...]   only the checks whose names contain one of these
"""

import array
import base64
import hashlib
import hmac
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from everybody import EverybodyChecks
from suite import CHROMIUM, Suite

PASSWORD = "correct horse battery"
PAGES = ["/", "/p/anna/live", "/p/anna/timeline", "/p/anna/timeline?span=year", "/p/anna/summary", "/p/anna/health", "/p/anna/health/weight", "/p/anna/measure",
         "/p/anna/metric/heart-rate", "/p/anna/ecg", "/p/anna/ecg?view=hour", "/alerts", "/devices",
         "/import", "/settings", "/p/anna/profile", "/p/anna/share", "/p/anna/questions", "/p/anna/simple", "/people", "/audit"]
# The least contrast of a chart's numbers, which stand in a picture that axe does not look into.
CONTRAST = """() => {
    const parts = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const light = colour => { const [r, g, b] = parts(colour).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    return Math.min(...[...document.querySelectorAll('.dygraph-axis-label')].map(label => {
        const pair = [getComputedStyle(label).color, getComputedStyle(label.closest('.panel')).backgroundColor].map(light).sort((a, b) => b - a);
        return (pair[0] + 0.05) / (pair[1] + 0.05); }));
}"""
# What is to be pressed or filled in and lies beyond the screen's edge, perhaps in a part that scrolls.
BEYOND = """() => [...document.querySelectorAll('main button, main a.button, main select, main input, main .bins td')].filter(element => {
    const { width, left, right } = element.getBoundingClientRect(); return width && (right > innerWidth + 1 || left < -1); })
    .map(element => element.getAttribute('aria-label') || element.textContent)"""
# Names of metrics that are English in every language, and units as machines write them.
UNTRANSLATED = """async () => {
    const { has, unitName, state } = await import('/js/i18n.js');
    const known = [...state.catalogue.values()];
    if (known.length < 100) return ['only ' + known.length + ' metrics are known'];
    return known.filter(metric => !has('metric.' + metric.name) || /[{}*\\[\\]]/.test(unitName(metric.unit ?? ''))).map(metric => metric.name);
}"""
# Pixels of a canvas that are the colour of its trace.
INK = """canvas => { const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const [r, g, b] = getComputedStyle(canvas).getPropertyValue('--text').trim().match(/[0-9a-f]{2}/g).map(part => parseInt(part, 16)); let found = 0;
    for (let i = 0; i < data.length; i += 4) found += data[i + 3] > 200 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 60; return found; }"""
DATA = os.environ.get("VIGIL_TEST_DATA", os.path.join(os.path.dirname(__file__), "../../../shared/data"))
THEMES = ["light", "dark", "night", "safe", "system"]


class Checks(EverybodyChecks):
    def __init__(self, suite, browser):
        self.suite = suite
        self.browser = browser
        self.errors = []
        self.state = None

    def context(self, signed_in=True, **options):
        context = self.browser.new_context(storage_state=self.state if signed_in else None, **{"viewport": {"width": 1280, "height": 800}, "service_workers": "block", **options})
        context.set_default_timeout(20000)
        context.on("page", self.watch)
        return context

    def watch(self, page):
        page.on("pageerror", lambda error: self.errors.append(f"{page.url}: {error}"))
        page.on("console", lambda message: self.errors.append(f"{page.url}: {message.text}")
                if message.type == "error" and "Failed to load resource" not in message.text and "ERR_" not in message.text else None)
        page.on("dialog", lambda dialog: (self.errors.append(f"{page.url}: a script ran: {dialog.message}"), dialog.dismiss()))

    def open(self, context, path="/"):
        page = context.new_page()
        page.goto(self.suite.base + path)
        return page

    def go(self, page, path):
        page.evaluate("path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }", path)
        page.wait_for_function("() => document.querySelector('main')?.childElementCount > 0")
        page.wait_for_timeout(250)

    def sign_in(self, context, name, password=PASSWORD):
        page = self.open(context)
        page.fill("input[name=name]", name)
        page.fill("input[name=password]", password)
        page.click("button[type=submit]")
        return page

    # The checks, in their order

    def check_first_link_and_password(self):
        context = self.context(signed_in=False)
        page = self.open(context, self.suite.link)
        page.fill("input[name=new]", PASSWORD)
        page.fill("input[name=again]", "something else")
        page.click("button[type=submit]")
        expect(page.get_by_role("alert")).to_contain_text("not the same")
        page.fill("input[name=again]", PASSWORD)
        page.click("button[type=submit]")
        page.wait_for_selector(".person")
        self.state = context.storage_state()
        cookie = self.state["cookies"][0]
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
        other = self.context(signed_in=False)
        again = self.open(other, self.suite.link)
        again.fill("input[name=new]", PASSWORD)
        again.fill("input[name=again]", PASSWORD)
        again.click("button[type=submit]")
        expect(again.get_by_role("alert")).to_contain_text("used already")
        wrong = self.sign_in(other, "operator", "wrong password")
        expect(wrong.get_by_role("alert")).to_contain_text("wrong")
        right = self.sign_in(other, "operator")
        right.wait_for_selector(".person")

    def check_year_of_history(self):
        page = self.open(self.context())
        page.wait_for_selector(".person:has-text('Anna Berg')")
        self.go(page, "/p/anna/timeline?span=year")
        page.wait_for_selector(".line-row")
        assert page.locator(".line-row").count() >= 6
        before = page.locator(".spans strong").inner_text()
        page.get_by_label("Earlier").click()
        page.wait_for_timeout(500)
        assert page.locator(".spans strong").inner_text() == str(int(before) - 1)

    def check_waves_move_and_stop(self):
        page = self.open(self.context(), "/p/anna/live")
        page.wait_for_selector(".trace[data-signal=live]")
        page.wait_for_timeout(2500)
        grab = "() => document.querySelector('.trace canvas').toDataURL()"
        # The alarm limits stand beside the number before anything alarms.
        page.locator(".trace .limits").filter(has_text=re.compile(r"\d+–\d+")).first.wait_for()
        first = page.evaluate(grab)
        page.wait_for_timeout(300)
        assert first != page.evaluate(grab), "the waveform stands still"
        frames = page.evaluate("""() => new Promise(done => {
            const times = []; const next = time => { times.push(time); times.length < 180 ? requestAnimationFrame(next) : done(times); }; requestAnimationFrame(next); })""")
        steps = sorted(b - a for a, b in zip(frames, frames[1:]))
        print(f"    frame interval: median {steps[len(steps) // 2]:.1f} ms, p95 {steps[int(len(steps) * 0.95)]:.1f} ms")
        self.suite.stop_family()
        page.wait_for_selector(".trace[data-signal=off]", timeout=30000)
        page.wait_for_selector(".trace .state:has-text('no signal')", timeout=30000)
        page.wait_for_function("() => document.querySelector('.trace .readout .value').textContent === '--'", timeout=60000)
        self.suite.start_family()
        page.wait_for_selector(".trace[data-signal=live]", timeout=60000)

    def check_an_electrocardiogram_in_the_overview(self):
        page = self.open(self.context())
        strip = page.locator(".person:has-text('Anna Berg') .strip canvas")
        strip.wait_for(timeout=30000)
        page.wait_for_timeout(2500)
        first = strip.evaluate("canvas => canvas.toDataURL()")
        page.wait_for_timeout(300)
        assert first != strip.evaluate("canvas => canvas.toDataURL()"), "the strip stands still"
        drawn = strip.evaluate("canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter((part, i) => i % 4 === 3 && part > 128).length")
        assert drawn > 300, f"{drawn} pixels are drawn"
        assert page.locator(".strip:visible").count() <= 4
        page.get_by_role("button", name="Tiles").click()
        expect(strip).to_be_hidden()
        page.get_by_role("button", name="List").click()
        expect(strip).to_be_visible()
        narrow = self.context(viewport={"width": 360, "height": 740})
        streams = []
        narrow.on("request", lambda request: streams.append(request.url) if "/api/v1/live" in request.url else None)
        phone = self.open(narrow)
        phone.wait_for_selector(".person:has-text('Anna Berg')")
        phone.wait_for_timeout(4000)
        assert streams and not any("waves" in stream for stream in streams), streams
        assert phone.locator(".strip:visible").count() == 0

    def check_a_strip_of_whom_one_may_no_longer_see_ends_no_stream(self):
        context = self.context()
        streams, refused = [], []

        def live(route):
            streams.append(route.request.url)
            if "anna" not in route.request.url:
                return route.continue_()
            refused.append(1)
            route.fulfill(status=404, body="")

        def people(route):
            answer = route.fetch()
            route.fulfill(response=answer, json=[person for person in answer.json() if not (refused and person["id"] == "anna")])

        context.route("**/api/v1/live*", live)
        context.route("**/api/v1/participants", people)
        page = self.open(context)
        deadline = time.time() + 30
        while not (refused and "waves" in streams[-1] and "anna" not in streams[-1]) and time.time() < deadline:
            page.wait_for_timeout(200)
        assert refused, "nothing was refused, so that nothing is tried here"
        assert "waves" in streams[-1] and "anna" not in streams[-1], streams
        page.wait_for_selector(".link-state[data-state=live]")
        expect(page.locator(".person:has-text('Ben Berg') .strip canvas")).to_be_visible(timeout=15000)

    def check_no_waveform_is_drawn_over_its_past(self):
        page = self.open(self.context())
        doubled = page.evaluate("""async () => {
            const { Sweep } = await import('/js/draw/sweep.js');
            const canvas = document.createElement('canvas');
            Object.assign(canvas.style, { width: '500px', height: '100px', color: 'black' });
            document.querySelector('main').append(canvas);
            const sweep = new Sweep(canvas, 'ecg', { seconds: 4 });
            // Low for four seconds, high from then on; a frame each 60th of a second, then one in half a second.
            const block = (start, value) => ({ start, period: 0.01, end: start + 4, samples: new Float32Array(400).fill(value), source: 's', arrived: start });
            const blocks = [block(1000, -0.4), block(1004, 1.2)];
            for (let now = 1000.5; now < 1004.3; now += 1 / 60) sweep.draw(blocks, now);
            for (let now = 1004.5; now < 1007; now += 0.5) sweep.draw(blocks, now);
            const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let both = 0, drawn = 0;
            for (let x = 0; x < width; x++) {
                const is = (from, to) => { for (let y = from; y < to; y++) if (data[(y * width + x) * 4 + 3] > 128) return true; return false; };
                const [high, low] = [is(0, height / 2), is(height / 2, height)];
                drawn += high; both += high && low;
            }
            sweep.stop(); canvas.remove();
            return { both, drawn };
        }""")
        # Where the step is drawn it is both.
        assert doubled["drawn"] > 100 and doubled["both"] < 8, doubled

    def check_memory_of_an_open_monitor(self):
        """A minute as part of the run; ten where HEAP_MINUTES says so."""
        minutes = float(os.environ.get("HEAP_MINUTES", "1"))
        page = self.open(self.context(), "/p/anna/live")
        page.wait_for_selector(".trace[data-signal=live]")
        devtools = page.context.new_cdp_session(page)
        devtools.send("HeapProfiler.enable")

        def used():
            # What was freed only just is gone after the second.
            devtools.send("HeapProfiler.collectGarbage")
            devtools.send("HeapProfiler.collectGarbage")
            return devtools.send("Runtime.getHeapUsage")["usedSize"], devtools.send("Memory.getDOMCounters")["nodes"]

        # The rings of the last ten seconds are full after half a minute, what trends are drawn from after five minutes.
        page.wait_for_timeout(330000 if minutes >= 5 else 30000)
        first = used()
        page.wait_for_timeout(minutes * 60000)
        last = used()
        print(f"    heap {first[0] / 1e6:.2f} MB, after {minutes:g} minutes {last[0] / 1e6:.2f} MB; nodes {first[1]}, then {last[1]}")
        assert last[0] <= first[0] * 1.05 + 100_000, "the heap grows"
        assert last[1] <= first[1] + 50, "nodes are left behind"

    def check_alarm_reaches_the_banner_and_is_acknowledged(self):
        first, second = self.open(self.context()), self.open(self.context())
        for page in (first, second):
            page.wait_for_selector(".person:has-text('Ben Berg')")
        started = time.time()
        self.suite.publish("ben", "meter", json.dumps({"metric": "blood-glucose", "time": time.time(), "value": 45, "unit": "mg/dL"}))
        first.wait_for_selector(".banner:has-text('Ben Berg')")
        print(f"    from publishing to the banner: {time.time() - started:.2f} s, mosquitto_pub included")
        first.locator(".person", has_text="Ben Berg").get_by_role("button", name="Acknowledge").click()
        second.wait_for_selector(".person:has-text('acknowledged by operator')")
        self.go(first, "/alerts")
        first.locator("tr", has_text="Ben Berg").first.get_by_role("button", name="Why").click()
        first.wait_for_selector("dialog .why:not(:has-text('One moment'))")
        first.keyboard.press("Escape")
        first.locator("tr", has_text="Ben Berg").first.get_by_role("button", name="Silence").click()
        first.locator("dialog input").fill("measured again <b>soon</b>")
        first.locator("dialog button.primary").click()
        first.get_by_role("tab", name="Silenced").click()
        first.wait_for_selector("tr:has-text('Ben Berg')")

    def check_alarms_stand_on_a_new_page_while_the_timeline_is_away(self):
        with self.suite.frozen("vigil-timeline"):
            # What the dashboard knows of people is half a minute old at the most: then it asks.
            time.sleep(31)
            self.suite.publish("tim", "meter", json.dumps({"metric": "blood-glucose", "time": time.time(), "value": 45, "unit": "mg/dL"}))
            started = time.time()
            page = self.open(self.context())
            page.wait_for_selector(".banner:has-text('tim')", timeout=5000)
            print(f"    from publishing to the banner of a new page: {time.time() - started:.2f} s")
            page.wait_for_selector(".person:has-text('tim')", timeout=5000)
            self.go(page, "/alerts")
            page.wait_for_selector("tr:has-text('tim')", timeout=5000)

    def low_glucose(self, who, value=45):
        self.suite.publish(who, "meter", json.dumps({"metric": "blood-glucose", "time": time.time(), "value": value, "unit": "mg/dL"}))

    def check_an_alarm_is_told_in_an_open_dialog(self):
        page = self.open(self.context())
        page.wait_for_selector(".person")
        page.get_by_label("Menu").click()
        self.low_glucose("dora")
        page.wait_for_selector("dialog .standing:has-text('dora'), dialog .standing:not(:empty)")
        page.wait_for_function("() => document.querySelector('dialog #announce')?.textContent.includes('dora')")
        page.keyboard.press("Escape")
        page.wait_for_function("() => document.getElementById('announce').parentElement === document.body && !document.querySelector('dialog')")

    def check_a_button_is_for_the_alarm_that_was_read(self):
        page = self.open(self.context(), "/alerts")
        self.low_glucose("eva", 62)
        row = page.locator("tr", has_text="eva")
        row.wait_for()
        # A new value leaves the button that somebody is about to press.
        row.get_by_role("button", name="Silence").focus()
        self.low_glucose("eva", 61)
        page.wait_for_selector("tr:has-text('eva'):has-text(' 61 ')")
        assert page.evaluate("() => document.activeElement.textContent.startsWith('Silence')")
        for box in page.locator("tbody input[type=checkbox]:enabled").all():
            box.check()
        page.get_by_role("button", name="Acknowledge selected").click()
        page.wait_for_selector(".banner[data-priority=none]")
        self.low_glucose("fay", 62)
        page.wait_for_selector(".banner:has-text('fay') button")
        # Whoever clicks as the worse alarm takes the place acknowledges neither.
        page.evaluate("""() => { const banner = document.querySelector('.banner'); window.pressed = 0;
            new MutationObserver(() => { const button = banner.querySelector('button');
                if (banner.textContent.includes('gus') && button && !window.pressed++) button.click(); }).observe(banner, { childList: true, subtree: true }); }""")
        self.low_glucose("gus", 35)
        page.wait_for_function("() => window.pressed > 0")
        page.wait_for_timeout(1500)
        expect(page.locator(".banner")).to_contain_text("gus")
        assert page.locator(".banner[data-new] button").count() == 1, "gus's alarm was acknowledged unread"
        page.locator(".banner button").click()
        page.wait_for_selector(".banner:has-text('fay')")

    def answer_link(self, alert, told):
        """The link that vigil-alert would send, signed here from its description alone."""
        with open(f"{self.suite.folder}/state/answer.key", "rb") as file:
            key = file.readline().strip()
        question = {"n": "daughter", "p": alert["p"], "r": alert["alert"]["rule"], "s": alert["alert"]["since"], "v": alert["alert"]["severity"],
                    "t": told, "e": time.time() + 600}
        payload = base64.urlsafe_b64encode(json.dumps(question).encode()).decode().rstrip("=")
        signature = hmac.new(key, f"vigil-answer/1.{payload}".encode(), hashlib.sha256).hexdigest()[:32]
        return f"/answer.html#{payload}.{signature}"

    def check_an_alarm_is_answered_by_the_link_in_a_message(self):
        signed_in = self.open(self.context(), "/alerts")
        self.low_glucose("lia", 45)
        signed_in.wait_for_selector("tr:has-text('lia')")
        alerts = signed_in.evaluate("async () => (await fetch('/api/v1/alerts')).json()")
        link = self.answer_link(next(one for one in alerts if one["p"] == "lia"), time.time())
        # At a phone's width, by somebody who has no account.
        page = self.open(self.context(signed_in=False, viewport={"width": 375, "height": 700}), link)
        page.wait_for_selector("button:has-text('I am on my way')")
        page.reload()
        expect(page.locator("button")).to_have_count(3)
        assert not page.evaluate(BEYOND), "a button lies beyond the edge"
        assert not Axe().run(page).response["violations"]
        page.get_by_role("button", name="I am on my way").click()
        page.wait_for_selector("text=The others are told")
        signed_in.wait_for_selector("tr:has-text('lia'):has-text('daughter (link)')")
        page.reload()
        page.wait_for_selector("text=used already")
        for wrong in (link[:-1] + ("0" if link[-1] != "0" else "1"), "/answer.html#x.y", "/answer.html"):
            other = self.open(self.context(signed_in=False), wrong)
            other.wait_for_selector("text=not complete")
            expect(other.locator("button")).to_have_count(0)

    def check_without_connection_and_back(self):
        context = self.context()
        page = self.open(context, "/p/anna/timeline?span=week")
        page.wait_for_selector(".line-row")
        page.wait_for_timeout(1500)
        title, rows = page.locator(".spans strong").inner_text(), page.locator(".line-row").count()
        context.set_offline(True)
        page.get_by_label("Earlier").click()
        page.wait_for_selector(".toast:has-text('No connection')")
        assert (page.locator(".spans strong").inner_text(), page.locator(".line-row").count()) == (title, rows)
        # What lives shows without the server, also a page that was never open; what must be asked for comes by itself.
        self.go(page, "/alerts")
        page.get_by_role("tab", name="History").wait_for()
        self.go(page, "/p/anna/summary")
        page.wait_for_selector("main [role=alert]:has-text('as soon as it is back')")
        context.set_offline(False)
        page.wait_for_selector(".tile", timeout=30000)
        self.go(page, "/p/anna/metric/heart-rate")
        page.wait_for_selector(".dygraph-axis-label")

    def check_no_line_is_drawn_across_a_gap(self):
        page = self.open(self.context())
        gaps = page.evaluate("""async () => { const { gapOf } = await import('/js/draw/gaps.js');
            return [[0, 86400], [0, 86400, 86460, 86520], [0, 60, 120, 86400], [0, 604800, 1209600], [0], []].map(times => gapOf(times, 30)); }""")
        # A day between two values is a gap, a week between weights of every week is none.
        assert gaps == [30, 210, 210, 2116800, 30, 30], gaps

    def check_what_lasts_is_shown_the_day_after_and_with_its_age(self):
        """A weight of the day before is still the weight; a heart rate of an hour ago is nothing to go by, and the tile says why."""
        now = time.time()
        for metric, ago, value, unit in (("body-weight", 30 * 3600, 71.5, "kg"), ("steps", 28 * 3600, 8214, "{steps}"), ("pulse-rate", 3600, 61, "/min")):
            self.suite.publish("vera", "scale", json.dumps({"metric": metric, "time": now - ago, "value": value, "unit": unit}))
        page = self.open(self.context(), "/p/vera/summary")
        weight, steps = (page.locator(".tile", has_text=name) for name in ("Body weight", "Steps"))
        weight.locator(".unit", has_text="30 h old").wait_for()
        assert "71.5" in weight.inner_text() and "8,214" in steps.inner_text(), (weight.inner_text(), steps.inner_text())
        page.get_by_text("Choose tiles").click()
        page.get_by_label("Pulse rate", exact=True).check()
        pulse = page.locator(".tile", has_text="Pulse rate")
        pulse.locator(".unit", has_text="ago").wait_for()
        assert "61" not in pulse.inner_text() and "--" in pulse.inner_text(), pulse.inner_text()

    def check_a_page_that_begins_without_the_server(self):
        context = self.context()
        context.route("**/api/v1/live*", lambda route: route.abort())
        refused = []
        context.route("**/api/v1/me", lambda route: (refused.append(1), route.abort()) if len(refused) < 2 else route.continue_())
        page = self.open(context)
        page.wait_for_selector("[role=alert]:has-text('No connection')")
        page.wait_for_selector(".person")
        page.wait_for_selector(".link-state[data-state=lost]", timeout=20000)
        page.wait_for_selector(".banner:has-text('not known')")
        context.unroute("**/api/v1/live*")
        page.wait_for_selector(".link-state[data-state=live]", timeout=30000)

    def check_a_wearers_clock_is_read_in_another_zone(self):
        page = self.open(self.context(timezone_id="America/New_York"), "/p/anna/metric/heart-rate")
        fields = page.locator("input[type=datetime-local]")
        page.wait_for_function("() => document.querySelector('input[type=datetime-local]')?.value")
        # In Berlin this hour comes twice; an hour after it is one hour, whatever the browser's own clock does.
        fields.nth(0).fill("2026-10-25T03:00")
        fields.nth(1).fill("2026-10-25T04:00")
        page.wait_for_function("() => location.search.endsWith('to=1792897200')")
        assert "from=1792893600&to=1792897200" in page.url, page.url
        assert [fields.nth(0).input_value(), fields.nth(1).input_value()] == ["2026-10-25T03:00", "2026-10-25T04:00"]
        page.wait_for_selector("text=Times in Europe/Berlin")

    def check_what_people_write_stays_text(self):
        script = "<img src=x onerror=alert(1)><script>alert(2)</script>"
        page = self.open(self.context(), "/p/anna/timeline")
        page.wait_for_selector(".line-row")
        page.locator("section:has-text('Add an entry') input").first.fill(script)
        page.locator("section:has-text('Add an entry') button").click()
        page.wait_for_selector(f"text={script[:20]}")
        page.locator("section:has-text('How it feels') button").click()
        page.wait_for_selector(".line-row:has-text('Pain')")
        self.suite.publish("x", "bad", json.dumps({"metric": "heart-rate", "value": "<script>alert(3)</script>"}))
        # Somebody's own name, as an operator may have it, and a name of a device that is none.
        address = self.suite.base + "/api/v1/participants/cy/profile"
        headers = {"Sec-Fetch-Site": "same-origin"}
        before = page.request.get(address).json()
        assert page.request.put(address, data={**before, "first": script}, headers=headers).ok
        try:
            self.suite.publish("x", "<b>", json.dumps({"metric": "heart-rate", "value": 61}))
            page.goto(self.suite.base + "/")
            page.locator(".person", has_text=script).wait_for()
            assert page.locator("main img").count() == 0 and page.locator("main script").count() == 0
        finally:
            assert page.request.put(address, data=before, headers=headers).ok
        self.go(page, "/devices")
        page.wait_for_timeout(500)
        assert page.locator("main img").count() == 0 and page.locator("main script").count() == 0

    def check_other_accounts(self):
        for name, options in [("nora", ["--role", "carer", "--participant", "anna"]), ("pat", ["--role", "patient", "--participant", "cy"]),
                              ("ana", ["--role", "analyst", "--participant", "anna,ben"])]:
            said = self.suite.run("people", "add", name, *options, "--state-folder", f"{self.suite.folder}/state")
            link = said[said.index("/welcome#"):].strip()
            context = self.context(signed_in=False)
            page = self.open(context, link)
            page.fill("input[name=new]", PASSWORD)
            page.fill("input[name=again]", PASSWORD)
            page.click("button[type=submit]")
            page.wait_for_selector(".person")
            page.wait_for_timeout(1500)
            text = page.locator("body").inner_text()
            if name == "ana":
                assert "Anna" not in text and "p-" in text, text
            else:
                assert ("Ben" not in text) and page.locator(".person").count() == 1, text
                assert page.goto(self.suite.base + "/p/ben/live").status == 404
                page.wait_for_selector("text=There is nothing here")
            for path in ["/people", "/audit", "/devices"]:
                page.goto(self.suite.base + path)
                page.wait_for_selector("main [role=alert]")
        self.suite.run("people", "revoke", "nora", "--state-folder", f"{self.suite.folder}/state")

    def check_a_passkey_is_the_second_step(self):
        state = ["--state-folder", f"{self.suite.folder}/state"]
        base = self.suite.base.replace("127.0.0.1", "localhost")  # Browsers give passkeys under names only.
        link = self.suite.run("people", "add", "kay", "--role", "carer", "--participant", "anna", *state)
        context = self.context(signed_in=False)
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "usb", "hasUserVerification": False, "automaticPresenceSimulation": True}
        key = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]

        def choose(link):
            page.goto(base + link[link.index("/welcome#"):].strip())
            page.reload()
            page.fill("input[name=new]", PASSWORD)
            page.fill("input[name=again]", PASSWORD)
            page.click("button[type=submit]")

        def sign_in():
            context.clear_cookies()
            page.goto(base + "/")
            page.fill("input[name=name]", "kay")
            page.fill("input[name=password]", PASSWORD)
            page.click("button[type=submit]")

        def passkeys():
            self.go(page, "/settings")
            return page.locator("section.panel", has=page.get_by_role("heading", name="Passkeys"))

        choose(link)
        page.wait_for_selector(".person")
        panel = passkeys()
        panel.locator("input").first.fill("<b>blue</b> key")
        panel.locator("input[type=password]").fill("wrong password")
        panel.get_by_role("button", name="Add a passkey").click()
        expect(panel.get_by_role("status")).to_contain_text("must be right")
        panel.locator("input[type=password]").fill(PASSWORD)
        panel.get_by_role("button", name="Add a passkey").click()
        expect(panel.locator("li")).to_contain_text("<b>blue</b> key")
        # The same device twice is refused by the browser, in words.
        panel.locator("input").first.fill("again")
        panel.locator("input[type=password]").fill(PASSWORD)
        panel.get_by_role("button", name="Add a passkey").click()
        expect(panel.get_by_role("status")).to_contain_text("known already")
        assert "1 passkey" in self.suite.run("people", "list", *state)
        sign_in()
        page.wait_for_selector(".person")
        first = session.send("WebAuthn.getCredentials", {"authenticatorId": key})["credentials"][0]
        assert first["signCount"] > 1, first
        # A copy of the device that has signed less often.
        session.send("WebAuthn.removeCredential", {"authenticatorId": key, "credentialId": first["credentialId"]})
        session.send("WebAuthn.addCredential", {"authenticatorId": key, "credential": {**first, "signCount": 0}})
        sign_in()
        expect(page.get_by_role("alert")).to_contain_text("refused")
        # Nobody touches it.
        session.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": key})
        page.goto(self.suite.base + "/")
        page.fill("input[name=name]", "kay")
        page.fill("input[name=password]", PASSWORD)
        page.click("button[type=submit]")
        expect(page.get_by_role("alert")).to_contain_text("open localhost")
        # Lost: an operator's link alone does not pass it by; without the passkeys it does.
        assert "removed 1 passkey" in self.suite.run("people", "reset", "kay", "--without-passkeys", *state)
        choose(self.suite.run("people", "reset", "kay", *state))
        page.wait_for_selector(".person")
        assert passkeys().locator("li").count() == 0
        said = self.suite.run("people", "audit", *state)
        for action in ("passkey-added", "passkey-refused", "passkeys-removed"):
            assert action in said, action
        self.suite.run("people", "revoke", "kay", *state)

    def check_signing_out_ends_the_stream(self):
        context = self.context(signed_in=False)
        page = self.sign_in(context, "operator")
        page.wait_for_selector(".person")
        other = context.new_page()
        other.goto(self.suite.base + "/")
        other.wait_for_selector(".person")
        page.get_by_label("Menu").click()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_selector("input[name=password]")
        other.wait_for_selector("input[name=password]", timeout=15000)

    def check_signing_out_without_connection(self):
        """Whoever takes the phone next sees nothing, and the session ends once there is a connection."""
        context = self.context(signed_in=False)
        page = self.sign_in(context, "operator")
        page.wait_for_selector(".person")
        other = self.open(context)
        other.wait_for_selector(".person")
        context.set_offline(True)
        page.get_by_label("Menu").click()
        page.get_by_role("button", name="Sign out").click()
        for one in (page, other):
            one.wait_for_selector("input[name=password]")
        assert page.evaluate("localStorage.getItem('signing-out')") == "1"
        context.set_offline(False)
        page.wait_for_function("() => localStorage.getItem('signing-out') === null")
        assert page.evaluate("fetch('/api/v1/me').then(answer => answer.status)") == 401
        context.close()
        # With the flag of a page that was closed before, none is let in under the old session.
        context = self.context(signed_in=False)
        page = self.sign_in(context, "operator")
        page.wait_for_selector(".person")
        context.route("**/api/v1/session", lambda route: route.abort())
        page.evaluate("localStorage.setItem('signing-out', '1')")
        page.reload()
        page.wait_for_selector("input[name=password]")
        context.unroute("**/api/v1/session")
        page.wait_for_function("() => localStorage.getItem('signing-out') === null")
        assert page.evaluate("fetch('/api/v1/me').then(answer => answer.status)") == 401
        context.close()

    def check_tabs_share_one_stream(self):
        # Too narrow for the overview's electrocardiograms: its tabs want no waveforms.
        context = self.context(viewport={"width": 900, "height": 800})
        streams = []
        context.on("request", lambda request: streams.append(request.url) if "/api/v1/live" in request.url else None)
        # More than a browser has connections to one server.
        pages = [self.open(context, "/") for _ in range(8)]
        for page in pages:
            page.wait_for_selector(".link-state[data-state=live]")
            page.wait_for_selector(".person:has-text('Anna Berg')")
        assert len(streams) == 1, streams
        monitor = pages[3]
        monitor.bring_to_front()
        self.go(monitor, "/p/anna/live")
        monitor.wait_for_selector(".trace[data-signal=live]")
        assert len(streams) == 2 and "waves=anna" in streams[1], streams
        moves = """() => new Promise(done => { const grab = () => document.querySelector('.trace canvas').toDataURL(); const first = grab();
            setTimeout(() => done(first !== grab()), 400); })"""
        pages[0].close()
        monitor.wait_for_timeout(1500)
        monitor.wait_for_selector(".trace[data-signal=live]")
        assert monitor.evaluate(moves), "the waveform stands still after the tab that had the stream was closed"
        assert len(streams) == 3, streams
        # The tab that has it now is put to sleep, as a phone does with what is in the background.
        for page in pages[1:3]:
            page.context.new_cdp_session(page).send("Page.setWebLifecycleState", {"state": "frozen"})
        monitor.wait_for_timeout(12000)
        monitor.wait_for_selector(".trace[data-signal=live]")
        assert monitor.evaluate(moves), "the waveform stands still while the tab that had the stream sleeps"

    def check_calibrated_screen_and_polled_servers(self):
        page = self.open(self.context(), "/settings")
        page.get_by_label("Width of the card").fill("4")
        page.locator("section", has_text="Size of this screen").get_by_role("button", name="Save").click()
        page.get_by_text("This screen is calibrated.").wait_for()
        self.go(page, "/p/anna/live")
        page.locator(".trace .paper", has_text="25 mm/s").first.wait_for()
        words, height = page.locator(".trace .paper").first.inner_text(), page.locator(".trace .millivolt").first.bounding_box()["height"]
        gain = float(words.split("·")[1].split()[0])
        assert abs(height - 4 * gain) < 2.5, (words, height)
        print(f"    {words.strip()}: a millivolt is {height:.0f} px high where a millimetre is 4 px")
        self.go(page, "/settings")
        form = page.locator("form", has_text="e-Health server")
        # Nobody answers for the servers: said in words.
        page.route("**/parameters/*", lambda route: route.fulfill(status=503, content_type="application/json", body='{"error": {"code": "unavailable"}}'))
        page.reload()
        form.get_by_role("status").get_by_text("The database is away").wait_for()
        page.unroute("**/parameters/*")
        page.reload()
        form.get_by_label("Address").fill("ftp://example.org/")
        form.get_by_role("button", name="Save").click()
        form.get_by_text("begins with http").wait_for()
        form.get_by_label("Address").fill("http://127.0.0.1:9/sensors")
        form.get_by_label("Whose readings").fill("anna")
        form.get_by_role("button", name="Save").click()
        form.get_by_text("Stored").wait_for()
        page.reload()
        expect(page.locator("form", has_text="e-Health server").get_by_label("Address")).to_have_value("http://127.0.0.1:9/sensors")
        form.get_by_label("Address").fill("")
        form.get_by_role("button", name="Save").click()
        form.get_by_text("Stored").wait_for()

    def check_every_page_in_every_theme_and_width(self):
        axe = Axe()
        page = self.open(self.context())
        page.wait_for_selector(".person")
        findings = []
        for width in (1280, 768, 360):
            page.set_viewport_size({"width": width, "height": 800})
            for path in PAGES:
                self.go(page, path)
                page.wait_for_timeout(600)
                wide = page.evaluate("() => document.scrollingElement.scrollWidth - innerWidth")
                if wide > 0:
                    findings.append(f"{path} at {width}: {wide} px wider than the screen")
                if beyond := page.evaluate(BEYOND):
                    findings.append(f"{path} at {width}: beyond the edge are {beyond}")
                for theme in THEMES if width == 1280 else THEMES[:2]:
                    page.evaluate("theme => { document.documentElement.dataset.theme = theme; dispatchEvent(new Event('theme')); }", theme)
                    if "/metric/" in path:
                        page.wait_for_selector(".dygraph-axis-label")
                        worst = page.evaluate(CONTRAST)
                        if worst < 4.5:
                            findings.append(f"{path} {theme} {width}: the axis' numbers have a contrast of {worst:.1f}")
                    for violation in axe.run(page).response["violations"]:
                        nodes = "; ".join(str(node["target"]) + " " + node["failureSummary"].splitlines()[-1].strip() for node in violation["nodes"][:3])
                        findings.append(f"{path} {theme} {width}: {violation['id']}: {nodes}")
        assert not findings, "\n".join(sorted(set(findings)))

    def check_everything_by_keyboard(self):
        context = self.context(signed_in=False)
        page = self.open(context)
        page.wait_for_selector("input[name=name]:focus")
        page.keyboard.type("operator")
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_selector(".person")
        self.suite.publish("cy", "meter", json.dumps({"metric": "blood-glucose", "time": time.time(), "value": 44, "unit": "mg/dL"}))
        page.wait_for_selector(".person:has-text('Cy') button:has-text('Acknowledge')")
        page.wait_for_function("() => document.querySelector('#announce').textContent.includes('Cy')")
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("() => document.activeElement.textContent === 'Acknowledge' && Boolean(document.activeElement.closest('.person')?.textContent.includes('Cy'))"):
                break
        else:
            raise AssertionError("Acknowledge is not reached with Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".person:has-text('Cy'):has-text('acknowledged by operator')")
        page.get_by_label("Menu").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog nav a:focus, dialog button:focus")
        page.keyboard.press("Escape")
        assert page.locator("dialog").count() == 0

    def check_languages(self):
        for language in ("de", "ru"):
            page = self.open(self.context(signed_in=True))
            page.wait_for_selector(".person")
            # What a screen reader was told in one language does not stand in the page in the other.
            self.suite.publish("tim", "meter", json.dumps({"metric": "blood-glucose", "time": time.time(), "value": 40, "unit": "mg/dL"}))
            page.wait_for_function("() => document.getElementById('announce').textContent !== ''")
            said = page.locator("#announce").text_content()
            page.get_by_label("Menu", exact=True).or_(page.get_by_label("Menü", exact=True)).or_(page.get_by_label("Меню", exact=True)).first.click()
            page.locator("dialog select").nth(1).select_option(language)
            page.wait_for_function("language => document.documentElement.lang === language && !document.querySelector('dialog')", arg=language)
            assert said not in page.locator("#announce").text_content(), f"{language}: a screen reader still reads {said!r}"
            raw = page.evaluate(UNTRANSLATED)
            assert not raw, f"{language}: {raw}"
            for path, width in [(path, width) for path in PAGES for width in (360, 768)]:
                page.set_viewport_size({"width": width, "height": 780})
                self.go(page, path)
                page.wait_for_timeout(500)
                text = page.locator("body").inner_text()
                for word in ("Acknowledge", "Heart rate", "No alarm", "undefined", "NaN", "[object"):
                    assert word not in text, f"{language} {path}: {[line for line in text.splitlines() if word in line]}"
                wide = page.evaluate("() => document.scrollingElement.scrollWidth - innerWidth")
                assert wide <= 0, f"{language} {path}: {wide} px too wide"
                beyond = page.evaluate(BEYOND)
                assert not beyond, f"{language} {path} at {width}: beyond the edge are {beyond}"
                names = re.findall(r"\b(?:news2|heart|oxygen|supplemental|body|respiration|systolic)-[a-z-]+", text)
                assert not names, f"{language} {path}: {names}"
        page.get_by_label("Меню", exact=True).click()
        page.locator("dialog select").nth(1).select_option("en")
        page.wait_for_function("() => document.documentElement.lang === 'en'")

    def check_files_are_imported(self):
        script = "<img src=x onerror=alert(1)>.csv"
        rows = [f"2016-03-{1 + n % 28:02d} 0{n // 28 % 10}:00:00,{70 + n % 5}" for n in range(200)] + ["2016-04-01 10:00:00,9000"]
        page = self.open(self.context(), "/import")
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="choose files").focus()
            page.keyboard.press("Enter")
        chooser.value.set_files([{"name": script, "mimeType": "text/csv", "buffer": ("timestamp,weight\n" + "\n".join(rows) + "\n").encode()},
                                 {"name": "report.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4 not a table"}])
        other = page.locator("article", has_text="report.pdf")
        other.locator(".error", has_text="PDF").wait_for()
        other.get_by_role("button", name="Discard").click()
        other.wait_for(state="detached")
        card = page.locator("article", has_text=script)
        card.locator(".chip", has_text="has a question").wait_for()
        for theme in THEMES:
            page.evaluate("theme => { document.documentElement.dataset.theme = theme; dispatchEvent(new Event('theme')); }", theme)
            violations = Axe().run(page).response["violations"]
            assert not violations, f"{theme}: {violations}"
        page.set_viewport_size({"width": 360, "height": 780})
        assert page.evaluate("() => document.scrollingElement.scrollWidth - innerWidth") <= 0
        page.set_viewport_size({"width": 1280, "height": 800})
        card.get_by_label("Whose data").fill("ida")
        card.get_by_label("In which unit").select_option("kg")
        card.get_by_role("button", name="Dry run").click()
        card.get_by_text("What the dry run found").wait_for()
        with page.expect_download() as download:
            card.get_by_role("button", name="Save the").click()
        with open(download.value.path(), encoding="utf-8", newline="") as saved:
            text = saved.read()
        assert text.count("\r\n") == 2 and "9000" in text, text
        card.get_by_role("button", name="Import", exact=True).click()
        card.locator(".chip", has_text="imported").wait_for()
        assert "200" in card.locator("tr", has_text="Stored").inner_text()
        print("    " + " | ".join(card.locator("table").inner_text().split("\n")))
        row = page.locator("section tr", has_text=script)
        row.get_by_role("button", name="Undo").click()
        page.locator("dialog button.primary").click()
        page.locator("section tr", has_text="undone").wait_for()
        assert page.locator("main img").count() == 0

    def check_imports_wait_and_go_on(self):
        page = self.open(self.context(), "/import")
        page.wait_for_selector(".drop")
        big = "timestamp,heart-rate\n" + "".join(f"{1469477616 + n},{60 + n % 20}\n" for n in range(80000))
        with self.suite.frozen("vigil-timeline"):
            page.locator("input[type=file]").set_input_files({"name": "big.csv", "mimeType": "text/csv", "buffer": big.encode()})
            card = page.locator("article", has_text="big.csv")
            card.locator(".chip", has_text="has a question").wait_for(timeout=60000)
            card.get_by_label("Whose data").fill("ida")
            card.get_by_role("button", name="Import", exact=True).click()
            card.locator(".chip", has_text="waiting").wait_for(timeout=60000)
        card.locator(".chip", has_text="imported").wait_for(timeout=120000)
        with self.suite.frozen("vigil-import"):
            page.locator(".note", has_text="does not answer").wait_for(timeout=40000)
        page.locator(".drop").wait_for(timeout=40000)

    def check_away_and_back(self):
        page = self.open(self.context())
        page.wait_for_selector(".person")
        with self.suite.frozen("vigil-dashboard"):
            page.wait_for_selector(".link-state[data-state=lost]", timeout=30000)
            page.wait_for_function("() => [...document.querySelectorAll('.vital .value')].every(e => e.textContent.startsWith('--'))")
        page.wait_for_selector(".link-state[data-state=live]", timeout=30000)


    def check_measurement_by_hand(self):
        for width in (360, 1280):
            context = self.context(viewport={"width": width, "height": 800})
            page = self.open(context, "/p/anna/measure")
            page.get_by_role("button", name="Weight", exact=True).click()
            page.get_by_label("Body weight", exact=True).fill("72,4")
            page.keyboard.press("Enter")
            expect(page.get_by_role("status").filter(has_text="Stored.").first).to_be_visible()
            page.get_by_role("button", name="Glucose", exact=True).click()
            page.get_by_label("Blood glucose", exact=True).fill("7.2")
            page.keyboard.press("Enter")
            with page.expect_response(lambda response: response.url.endswith("/measurements")):
                page.get_by_role("button", name="7.2 mmol/L").click()
            page.get_by_role("button", name="Blood pressure", exact=True).click()
            page.get_by_label("Systolic blood pressure", exact=True).fill("much")
            page.keyboard.press("Enter")
            expect(page.locator("p.error")).to_contain_text("please type a number")
            assert page.evaluate(BEYOND) == [], page.evaluate(BEYOND)
            context.close()
        readings = self.readings("anna", "source = 'manual.operator'")
        assert [(metric, round(value, 1)) for metric, value in readings if metric == "blood-glucose"] == [("blood-glucose", 129.7)] * 2, readings
        assert [value for metric, value in readings if metric == "body-weight"] == [72.4, 72.4], readings

    def check_measurement_without_connection(self):
        context = self.context()
        page = self.open(context, "/p/anna/measure")
        page.get_by_role("button", name="Waist", exact=True).click()
        page.get_by_label("Waist circumference", exact=True).fill("91")
        context.set_offline(True)
        page.keyboard.press("Enter")
        expect(page.locator("p.note")).to_contain_text("1 not sent yet")
        page.wait_for_timeout(500)
        context.set_offline(False)
        expect(page.locator("p.note")).to_be_hidden(timeout=60000)
        assert self.readings("anna", "metric = 'waist-circumference'") == [("waist-circumference", 91.0)]
        context.close()

    def check_what_waits_is_sent_once_and_not_dropped(self):
        """A server that is busy is asked again; of two tabs one sends; and what arrived without an answer is known by its id."""
        context = self.context()
        asked = []
        def refuse(route):
            if route.request.method != "POST":
                return route.continue_()
            asked.append(route.request.headers.get("idempotency-key"))
            if len(asked) == 1:
                route.fetch()
                return route.fulfill(status=504, content_type="application/json", body='{"error":{"code":"not-confirmed","reason":"x"}}')
            return route.fulfill(status=429, content_type="application/json", body='{"error":{"code":"busy","reason":"x"}}')
        context.route("**/measurements", refuse)
        page = self.open(context, "/p/anna/measure")
        page.get_by_role("button", name="Carbohydrates", exact=True).click()
        page.get_by_label("Carbohydrates eaten", exact=True).fill("45")
        page.keyboard.press("Enter")
        expect(page.locator("p.note")).to_contain_text("1 not sent yet")
        other = self.open(context, "/p/anna/measure")
        expect(other.locator("p.note")).to_contain_text("1 not sent yet")
        page.wait_for_timeout(2500)
        assert len(asked) > 1 and len(set(asked)) == 1 and asked[0], asked
        assert len(page.evaluate("JSON.parse(localStorage.getItem('waiting-operator'))")) == 1
        sent = []
        context.unroute("**/measurements")
        context.on("response", lambda response: sent.append(response.json()) if response.request.method == "POST" and response.url.endswith("/measurements") else None)
        for one in (page, other):
            expect(one.locator("p.note")).to_be_hidden(timeout=60000)
        assert [answer["duplicates"] for answer in sent] == [1], sent
        assert self.readings("anna", "metric = 'carbohydrates'") == [("carbohydrates", 45.0)]
        context.close()

    def check_at_a_glance(self):
        context = self.context(viewport={"width": 360, "height": 800})
        page = self.open(context, "/p/anna/summary")
        glance = page.locator("section.glance")
        expect(glance).to_contain_text("No allergy is recorded")
        post = """entry => fetch('/api/v1/participants/anna/entries', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(entry) }).then(r => r.status)"""
        long_ago = time.time() - 16 * 365 * 86400
        for entry in [{"kind": "allergy", "description": "Penicillin", "detail": "anaphylaxis"}, {"kind": "condition", "description": "Asthma"},
                      {"kind": "medication", "description": "Salbutamol", "ends": long_ago + 86400}, {"kind": "immunization", "description": "Tetanus"},
                      {"kind": "result", "description": "HbA1c", "value": 6.1, "unit": "%"}]:
            assert page.evaluate(post, {"time": long_ago, **entry}) == 200
        page.reload()
        expect(glance.locator("[data-kind=allergy]")).to_contain_text("Penicillin – anaphylaxis since")
        expect(glance.locator("[data-kind=result]")).to_contain_text("HbA1c 6.1 %")
        expect(glance.locator("[data-kind=immunization]")).to_contain_text("Tetanus")
        expect(glance).not_to_contain_text("Salbutamol")
        assert page.evaluate(BEYOND) == [], page.evaluate(BEYOND)
        # The allergy of long ago stands on the page of today too.
        self.go(page, "/p/anna/timeline?span=day")
        expect(page.locator("main")).to_contain_text("Penicillin")
        expect(page.locator("main")).to_contain_text("ongoing")
        self.go(page, "/p/anna/summary")
        page.get_by_role("button", name="End now: Asthma").click()
        expect(glance).not_to_contain_text("Asthma")
        expect(glance).to_contain_text("Penicillin")
        context.close()

    def check_units_of_ones_own(self):
        context = self.context(viewport={"width": 360, "height": 800})
        page = self.open(context, "/settings")
        page.get_by_label("Temperature", exact=True).select_option("[degF]")
        page.get_by_label("Weight", exact=True).select_option("[stone_av]")
        self.suite.publish("anna", "ear-1", json.dumps([{"metric": "body-temperature", "time": time.time(), "value": 37.5, "unit": "Cel"}]))
        self.go(page, "/p/anna/metric/body-temperature")
        expect(page.locator("section.panel").first).to_contain_text("99.5 °F")
        page.reload()
        self.go(page, "/p/anna/measure")
        page.get_by_role("button", name="Temperature", exact=True).click()
        page.get_by_label("Body temperature", exact=True).fill("98.6")
        with page.expect_response(lambda response: response.url.endswith("/measurements")):
            page.keyboard.press("Enter")
        stored = [round(value, 2) for _, value in self.readings("anna", "metric = 'body-temperature' AND source LIKE 'manual.%'")]
        assert stored == [37.0], stored
        self.go(page, "/settings")
        page.get_by_label("Temperature", exact=True).select_option("Cel")
        page.get_by_label("Weight", exact=True).select_option("kg")
        page.wait_for_timeout(300)
        context.close()

    def check_report_for_the_doctor(self):
        context = self.context(viewport={"width": 360, "height": 800})
        page = self.open(context, "/p/anna/summary")
        page.get_by_text("For the doctor").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="Last 30 days").click()
        path = download.value.path()
        with open(path, "rb") as file:
            content = file.read()
        assert content.startswith(b"%PDF-") and len(content) > 10000, len(content)
        assert download.value.suggested_filename.startswith("anna-"), download.value.suggested_filename
        text = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout
        for words in ("Report for a visit", "At a glance", "Figures of the period", "Health", "Alerts", "no diagnosis"):
            assert words in text, (words, text)
        assert page.evaluate(BEYOND) == [], page.evaluate(BEYOND)
        if os.environ.get("KEEP_REPORT"):
            shutil.copy(path, os.environ["KEEP_REPORT"])
        context.close()

    def check_health_modules(self):
        now = int(time.time())
        weights = [{"metric": "body-weight", "time": now - day * 86400, "value": 84 - (30 - day) * 0.08, "unit": "kg"} for day in range(30, 0, -2)]
        self.suite.publish("anna", "scale-9", json.dumps(weights))
        context = self.context(viewport={"width": 360, "height": 800})
        page = self.open(context, "/p/anna/health")
        expect(page.get_by_role("heading", name="Weight")).to_be_visible()
        page.get_by_role("heading", name="Weight").click()
        expect(page.locator("svg.lines").first).to_be_visible()
        expect(page.locator("main dl.facts").first).to_contain_text("kg")
        target = page.locator("main section form", has_text="The weight to be reached")
        field = target.locator("input").first
        field.fill("900")
        target.get_by_role("button", name="Save").click()
        expect(target.locator("p.error")).to_contain_text("accepts")
        field.fill("70,5")
        target.get_by_role("button", name="Save").click()
        expect(page.locator(".toast")).to_be_visible()
        page.reload()
        expect(page.locator("main section form input").first).to_have_value("70.5")
        assert page.evaluate(BEYOND) == [], page.evaluate(BEYOND)
        context.close()

    def store_electrocardiogram(self, participant):
        """Twenty minutes up to now with a hole of four seconds in them, of MIT-BIH where that is there. Returns the beginning."""
        try:
            with open(f"{DATA}/mitdb/203.json", encoding="utf-8") as about, open(f"{DATA}/mitdb/203.i16", "rb") as file:
                record = json.load(about)
                samples = array.array("h", file.read(2 * 1200 * 360))
            rate, values = record["rate_hz"], [round(sample * record["scale"], 3) for sample in samples]
        except OSError as error:
            print(f"    no record of MIT-BIH: {error}; a made one is stored")
            rate = 250
            values = [round(math.exp(-((n % 200 - 100) / 4) ** 2) + 0.2 * math.exp(-((n % 200 - 160) / 15) ** 2), 3) for n in range(1200 * rate)]
        start = int(time.time()) - 1200
        blocks = [json.dumps({"metric": "ecg", "time": start + n * 4, "period": 1 / rate, "samples": values[n * 4 * rate:(n + 1) * 4 * rate], "unit": "mV"})
                  for n in range(300) if n != 20]
        subprocess.run(["mosquitto_pub", "-p", str(self.suite.broker), "-q", "1", "-t", f"vigil/v1/ingest/{participant}/holter", "-l"],
                       input="\n".join(blocks), text=True, check=True, timeout=60)
        rhythm = [{"metric": "rhythm", "time": start + n * 60, "period": 60, "text": name} for n, name in
                  enumerate(["regular", "early-beats", "suspected-atrial-fibrillation", "suspected-atrial-fibrillation", "regular"])]
        # Beside those that vigil-stress finds in the record.
        rhythm += [{"metric": "heart-rhythm-interval", "time": start + second, "period": length, "text": name} for second, length, name in
                   [(120, 120, "suspected-atrial-fibrillation"), (400, 60, "regular"), (420, 4, "ventricular-run"), (460, 90, "bradycardia")]]
        rhythm += [{"metric": "rhythm", "time": start + 420, "period": 60, "text": "early-beats"}]
        beats = [{"metric": "rr-interval", "time": start + n * 0.6, "value": 600, "unit": "ms"} for n in range(1, 30)]
        self.suite.publish(participant, "analysis", json.dumps(rhythm + beats))
        return start

    def wait_stored(self, participant, blocks):
        for _ in range(300):
            with sqlite3.connect(f"file:{self.suite.folder}/state/timeline.sqlite?mode=ro", uri=True) as database:
                if database.execute("SELECT count(*) FROM waveforms WHERE participant = ?", (participant,)).fetchone()[0] >= blocks:
                    return
            time.sleep(0.1)
        raise AssertionError("the electrocardiogram is not stored")

    def check_electrocardiogram_on_paper(self):
        start = self.store_electrocardiogram("eva")
        self.wait_stored("eva", 299)
        context = self.context()
        page = self.open(context)
        page.wait_for_selector(".person:has-text('eva')")
        self.go(page, f"/p/eva/ecg?from={start}")
        canvas, said = page.locator("canvas.paper"), page.locator("#ecg-said")
        expect(said).to_contain_text("samples a second")
        assert canvas.evaluate(INK) > 1500, canvas.evaluate(INK)
        expect(page.locator("figcaption")).to_contain_text("25 mm/s, 10 mm/mV")
        expect(page.locator(".known li .number").first).to_be_visible()
        # A second of paper is 25 mm, and 1 mm is 96/25.4 px on a screen that nobody has measured.
        seconds = page.evaluate("async () => { const { Paper } = await import('/js/draw/paper.js'); return document.querySelector('canvas.paper').clientWidth / (96 / 25.4) / 25; }")
        assert 11 < seconds < 14, seconds
        # By the keyboard to the hole, which is said and not drawn over.
        canvas.focus()
        first = said.text_content()
        for key in ["PageDown"] * 6:
            page.keyboard.press(key)
        expect(said).to_contain_text("Gaps: 4.0 s from")
        assert said.text_content() != first
        page.keyboard.press("ArrowLeft")
        # The minutes of fibrillation.
        self.go(page, f"/p/eva/ecg?from={start + 130}")
        expect(page.locator(".known")).to_contain_text("suspected atrial fibrillation")
        # An interval says what its minute does not.
        self.go(page, f"/p/eva/ecg?from={start + 415}")
        expect(page.locator(".known")).to_contain_text("ventricular run")
        expect(page.locator(".known")).to_contain_text("regular")
        assert "early beats" not in page.locator(".known").inner_text()
        self.go(page, f"/p/eva/ecg?from={start + 130}")
        expect(page.locator(".known")).to_contain_text("suspected atrial fibrillation")
        # Calipers by the mouse and by the keyboard.
        page.get_by_role("button", name="Calipers").click()
        measured = page.locator(".calipers p")
        expect(measured).to_contain_text("/min")
        before = measured.text_content()
        slider = page.get_by_label("Second line of the calipers")
        slider.focus()
        page.keyboard.press("Shift+ArrowRight")
        assert measured.text_content() != before
        width = float(re.sub(r"[^\d]", "", measured.text_content().split(" ms")[0]))
        page.keyboard.press("ArrowRight")
        assert abs(float(re.sub(r"[^\d]", "", measured.text_content().split(" ms")[0])) - width - 10) <= 1
        place = page.evaluate("() => { const box = document.querySelector('canvas.paper').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; }")
        line = place[0] + 10 * 96 / 25.4 + float(slider.evaluate("slider => slider.value")) * 25 * 96 / 25.4
        page.mouse.move(line, place[1] + 60)
        page.mouse.down()
        page.mouse.move(line + 25 * 96 / 25.4, place[1] + 60, steps=4)
        page.mouse.up()
        moved = float(re.sub(r"[^\d]", "", measured.text_content().split(" ms")[0]))
        assert abs(moved - width - 1010) < 15, (width, moved)
        if os.environ.get("KEEP_PICTURES"):
            self.keep_pictures(page, start)
        # An hour as a line a minute; Enter on a minute is that minute on paper.
        page.get_by_role("button", name="Hour", exact=True).click()
        minute = time.strftime("%H:%M", time.gmtime(start // 60 * 60 + 120))
        button = page.locator(".minutes button", has_text=minute)
        expect(button).to_have_attribute("aria-label", re.compile("fibrillation"))
        page.wait_for_function("() => document.querySelector('.hour canvas').width > 300")
        assert page.locator(".hour canvas").first.evaluate(INK) > 5000
        button.focus()
        page.keyboard.press("Enter")
        expect(said).to_contain_text(minute)
        # What is known of the hour leads there too.
        page.get_by_role("button", name="Hour", exact=True).click()
        page.locator(".disclosure summary").click()
        page.locator(".disclosure li", has_text="bradycardia").first.get_by_role("button").click()
        expect(page.locator(".known")).to_contain_text("bradycardia")
        assert page.locator(".strip, canvas.paper").first.is_visible()
        context.close()

    def check_samples_of_a_waveform(self):
        page = self.open(self.context())
        page.wait_for_selector(".person")
        found = page.evaluate("""async () => {
            const { gapsOf, valueAt, isJoined } = await import('/js/waveform.js');
            const segment = (start, values) => ({ start, period: 0.1, end: start + values.length * 0.1, samples: Float32Array.from(values) });
            const [a, b, c] = [segment(0, [0, 1, 2]), segment(0.3, [3, 4]), segment(1, [10, 20])];
            const round = list => list.map(pair => pair.map(value => Math.round(value * 1000) / 1000));
            return { joined: [isJoined(a, b), isJoined(b, c), isJoined(b, a)], gaps: round(gapsOf([a, b, c], -0.1, 2)), none: round(gapsOf([], 3, 4)), whole: gapsOf([a, b], 0, 0.5),
                values: [0.25, 0.05, 0.7, 1.05, 1.2].map(time => { const value = valueAt([a, b, c], time); return value === null ? null : Math.round(value * 1000) / 1000; }) };
        }""")
        assert found == {"joined": [True, False, False], "gaps": [[0.5, 1], [1.2, 2]], "none": [[3, 4]], "whole": [], "values": [2.5, 0.5, None, 15, None]}, found

    def check_electrocardiogram_around_an_alarm(self):
        self.store_electrocardiogram("ada")
        self.wait_stored("ada", 299)
        now = time.time()
        rates = [{"metric": "heart-rate", "time": now - 12 + n * 3, "value": 190, "unit": "/min"} for n in range(4)]
        self.suite.publish("ada", "strap", json.dumps(rates))
        context = self.context()
        page = self.open(context, "/alerts")
        row = page.locator("tr", has_text="Heart rate extreme").filter(has_text="ada")
        link = row.get_by_role("link", name="ECG around this alarm")
        link.click(timeout=30000)
        expect(page.locator("figcaption")).to_contain_text("25 mm/s, 10 mm/mV")
        canvas = page.locator("canvas.paper")
        assert canvas.evaluate(INK) > 1500, canvas.evaluate(INK)
        # Half a minute in three lines, with the alarm in the first.
        assert canvas.bounding_box()["height"] > 400, canvas.bounding_box()
        expect(page.locator(".known")).to_contain_text("▲ Heart rate extreme")
        self.go(page, "/p/ada/timeline")
        expect(page.get_by_role("link", name="ECG around this alarm").first).to_be_visible()
        page.get_by_role("button", name="ECG", exact=True).click()
        page.wait_for_selector(".hour canvas")
        self.go(page, "/p/ada/metric/heart-rate")
        page.get_by_role("button", name="Electrocardiogram").click()
        page.wait_for_selector("canvas.paper")
        # The report has the strip.
        to = time.time() + 1
        answer = page.request.get(f"{self.suite.base}/api/v1/participants/ada/report?from={to - 86400:.0f}&to={to:.0f}")
        path = os.environ.get("KEEP_REPORT", f"{self.suite.folder}/report.pdf")
        with open(path, "wb") as file:
            file.write(answer.body())
        text = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout
        assert "ECG at the newest alarms" in text and "holter; 25 mm/s, 10 mm/mV" in text and "Heart rate extreme 190" in text, text
        context.close()

    def keep_pictures(self, page, start):
        """Pictures for somebody to look at."""
        folder = os.environ["KEEP_PICTURES"]
        for width in (1280, 375):
            page.set_viewport_size({"width": width, "height": 800})
            for theme in ("light", "dark"):
                page.evaluate("theme => { document.documentElement.dataset.theme = theme; dispatchEvent(new Event('theme')); }", theme)
                for name, path in {"strip": f"/p/eva/ecg?from={start + 78}", "alarm": f"/p/eva/ecg?from={start + 130}&to={start + 160}&at={start + 140}",
                                   "hour": f"/p/eva/ecg?from={start}&view=hour"}.items():
                    self.go(page, path)
                    page.wait_for_timeout(1500)
                    page.screenshot(path=f"{folder}/{name}-{width}-{theme}.png", full_page=True)
        page.evaluate("() => { document.documentElement.dataset.theme = 'system'; }")
        self.go(page, f"/p/eva/ecg?from={start + 130}")
        page.wait_for_timeout(800)
        page.pdf(path=f"{folder}/strip.pdf", prefer_css_page_size=True)
        page.set_viewport_size({"width": 1280, "height": 800})

    def readings(self, participant, condition):
        """Metrics and values that the timeline has of a participant, earliest first."""
        with sqlite3.connect(f"file:{self.suite.folder}/state/timeline.sqlite?mode=ro", uri=True) as database:
            return database.execute(f"SELECT metric, value FROM readings WHERE participant = ? AND {condition} ORDER BY time", (participant,)).fetchall()


def main():
    vigil, *wanted = sys.argv[1:]
    suite = Suite(vigil)
    failed = []
    try:
        suite.start_family()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            checks = Checks(suite, browser)
            for name in [name for name in [*vars(Checks), *vars(EverybodyChecks)] if name.startswith("check_")]:
                if wanted and name != "check_first_link_and_password" and not any(word in name for word in wanted):
                    continue
                started = time.time()
                try:
                    getattr(checks, name)()
                    problem = ""
                except Exception as error:  # noqa: BLE001: every failure is told, the others go on
                    problem = str(error)
                if checks.errors:
                    problem += "\nerrors of scripts:\n" + "\n".join(checks.errors)
                    checks.errors.clear()
                print(f"{'failed' if problem else 'passed'}  {name[6:].replace('_', ' ')} ({time.time() - started:.1f} s)", flush=True)
                if problem:
                    failed.append(name)
                    print("    " + problem.replace("\n", "\n    "), flush=True)
                for context in browser.contexts:
                    context.close()
            browser.close()
        if suite.died():
            failed.append("a service died")
            print("\n".join(suite.died()))
    finally:
        suite.stop()
    sys.exit(f"{len(failed)} failed" if failed else 0)


if __name__ == "__main__":
    main()
