"""Checks of the pages of people's own: what they type in, profiles, links for others, the installed application, the call for help."""

import json
import os
import re
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

WIDTHS = (360, 1280)
SCALE = "() => document.scrollingElement.scrollWidth - innerWidth"


class EverybodyChecks:
    def accessible(self, page, name):
        """Nothing is cut off, and axe finds nothing."""
        wide = page.evaluate(SCALE)
        assert wide <= 0, f"{name}: {wide} px wider than the screen"
        found = [f"{violation['id']}: {violation['nodes'][0]['target']} {violation['nodes'][0]['failureSummary']}"
                 for violation in Axe().run(page).response["violations"]]
        assert not found, f"{name}: {found}"
        if folder := os.environ.get("KEEP_PICTURES"):
            page.screenshot(path=f"{folder}/{name}.png", full_page=True)

    def check_typed_measurement_is_corrected_and_removed(self):
        for width in WIDTHS:
            context = self.context(viewport={"width": width, "height": 800})
            page = self.open(context, "/p/ben/measure")
            page.get_by_role("button", name="Waist", exact=True).click()
            page.get_by_label("Waist circumference", exact=True).fill("910")
            page.keyboard.press("Enter")
            expect(page.locator("p.error")).to_be_visible()
            page.get_by_label("Waist circumference", exact=True).fill("191")
            page.keyboard.press("Enter")
            row = page.locator(".typed li", has_text="191")
            row.wait_for()
            # By the keyboard alone.
            row.get_by_role("button", name="Correct").focus()
            page.keyboard.press("Enter")
            page.locator("dialog input").wait_for()
            self.accessible(page, f"correct-{width}")
            page.keyboard.type("91")
            page.keyboard.press("Enter")
            row = page.locator(".typed li").filter(has_text=re.compile(r"\b91\b"))
            row.wait_for()
            self.accessible(page, f"typed-{width}")
            assert self.readings("ben", "metric = 'waist-circumference'")[-1][1] == 91
            context.set_offline(True)
            row.get_by_role("button", name="Remove").click()
            page.locator("dialog").get_by_role("button", name="Remove").click()
            expect(page.locator("p.note")).to_contain_text("1 not sent yet")
            context.set_offline(False)
            expect(page.locator("p.note")).to_be_hidden(timeout=60000)
            expect(row).to_have_count(0, timeout=20000)
            assert self.readings("ben", "metric = 'waist-circumference'") == []
            context.close()

    def check_profile_reaches_the_rules(self):
        context = self.context(viewport={"width": 360, "height": 800})
        page = self.open(context, "/people")
        page.get_by_text("Add a person").click()
        page.get_by_label("Id, which devices send under").fill("zoe")
        page.get_by_label("First name").fill("Zoe")
        page.get_by_label("Birth date").fill("1950-03-04")
        page.get_by_label(re.compile("^Sex")).select_option("female")
        page.get_by_label("Height in cm").fill("168,5")
        page.get_by_label("Time zone").fill("Europe/Berlin")
        page.locator("form", has=page.get_by_label("Height in cm")).get_by_role("button", name="Save").click()
        page.wait_for_url("**/p/zoe/summary")
        self.go(page, "/p/zoe/profile")
        page.get_by_label("COPD").check()
        page.get_by_label("Saturation scale 2").check()
        page.get_by_label("Diabetes").check()
        page.locator("section", has=page.get_by_label("COPD")).get_by_role("button", name="Save").click()
        expect(page.get_by_text("the alarm rules know it")).to_be_visible()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            self.accessible(page, f"profile-{width}")
        # The limit of scale 2 is 88 %, that of scale 1 is 90 %.
        self.suite.publish("zoe", "oximeter", json.dumps({"metric": "oxygen-saturation", "time": time.time(), "value": 89, "unit": "%"}))
        page.wait_for_timeout(1500)
        answer = page.request.get(f"{self.suite.base}/api/v1/participants/zoe/alerts/oxygen-saturation-low/why").text()
        assert re.search(r"\b88\b", answer) and not re.search(r"\b90\b", answer), answer
        self.go(page, "/p/zoe/summary")
        expect(page.locator("section.glance")).to_contain_text("COPD – Saturation scale 2")
        expect(page.locator("section.glance")).to_contain_text("Diabetes")
        self.go(page, "/p/zoe/profile")
        page.get_by_role("button", name="Archive").click()
        page.locator("dialog").get_by_role("button", name="Archive").click()
        page.wait_for_url("**/people")
        assert page.locator("select[aria-label=Person] option", has_text="Zoe").count() == 0
        page.get_by_text("Archived: 1").click()
        page.get_by_role("button", name="Take back: Zoe").click()
        page.locator("select[aria-label=Person] option", has_text="Zoe").wait_for(state="attached")
        self.go(page, "/p/zoe/profile")
        page.get_by_role("button", name="Erase for good").click()
        box = page.locator("dialog")
        box.get_by_label("To confirm").fill("zoe")
        box.get_by_label("password").fill("correct horse battery")
        self.accessible(page, "erase-1280")
        box.get_by_role("button", name="Erase for good").click()
        page.get_by_role("heading", name=re.compile("Erased: [1-9]")).wait_for(timeout=60000)
        if folder := os.environ.get("KEEP_PICTURES"):
            page.screenshot(path=f"{folder}/erased.png")
        assert self.readings("zoe", "true") == []
        context.close()

    def check_newcomer_reaches_everything_in_twelve_clicks(self):
        context = self.context(viewport={"width": 360, "height": 800})
        page = self.open(context)
        page.wait_for_selector(".person")
        started, clicks = time.time(), 0

        def click(what):
            nonlocal clicks
            what.click()
            clicks += 1
        click(page.get_by_label("Menu", exact=True))
        click(page.get_by_role("link", name="People"))
        click(page.get_by_text("Add a person"))
        page.get_by_label("Id, which devices send under").fill("me")
        page.get_by_label("First name").fill("Mia")
        page.get_by_label("Height in cm").fill("170")
        page.keyboard.press("Enter")
        click(page.get_by_role("link", name="Add a measurement"))
        click(page.get_by_role("button", name="Weight", exact=True))
        page.get_by_label("Body weight", exact=True).fill("71,5")
        page.keyboard.press("Enter")
        page.locator(".typed li", has_text="71.5").wait_for()
        click(page.get_by_role("link", name="Health"))
        click(page.locator("a.module", has_text="Weight").first)
        page.get_by_label("The weight to be reached").fill("68")
        page.keyboard.press("Enter")
        expect(page.locator(".toast")).to_contain_text("Stored")
        page.locator(".module-message, .facts").first.wait_for()
        click(page.get_by_label("Menu", exact=True))
        click(page.get_by_role("link", name="Summary"))
        click(page.get_by_text("For the doctor"))
        with page.expect_download():
            click(page.get_by_role("link", name="30"))
        print(f"    a newcomer's path: {clicks} clicks, {time.time() - started:.0f} s by a machine")
        assert clicks <= 12
        context.close()

    def check_share_link_on_a_phone_without_an_account(self):
        context = self.context(viewport={"width": 1280, "height": 800})
        page = self.open(context, "/p/anna/share")
        page.get_by_label("How much").select_option("7")
        page.get_by_label("Present password").or_(page.get_by_label("password")).first.fill("correct horse battery")
        page.get_by_role("button", name="Make the link").click()
        page.locator("svg.code").wait_for()
        self.accessible(page, "share-1280")
        address = page.locator("p.why").inner_text()
        assert re.search(r"/shared\.html#[\w-]{40,}$", address), address
        page.set_viewport_size({"width": 360, "height": 800})
        self.accessible(page, "share-360")
        stranger = self.context(signed_in=False, viewport={"width": 360, "height": 800})
        phone = stranger.new_page()
        phone.goto(address)
        phone.locator("svg.lines").first.wait_for()
        expect(phone.locator("h2")).to_have_text("Anna")
        self.accessible(phone, "shared-360")
        phone.set_viewport_size({"width": 1280, "height": 800})
        self.accessible(phone, "shared-1280")
        # The link signs nobody in.
        assert phone.request.get(f"{self.suite.base}/api/v1/participants").status == 401
        page.get_by_role("button", name="Revoke").first.click()
        expect(page.get_by_text("None.")).to_be_visible()
        phone.reload()
        expect(phone.get_by_role("alert")).to_contain_text("revoked")
        stranger.close()
        context.close()

    def check_installed_application_without_connection(self):
        context = self.context(service_workers="allow", viewport={"width": 360, "height": 800})
        page = self.open(context, "/p/anna/summary")
        page.wait_for_selector(".tile")
        manifest = page.request.get(f"{self.suite.base}/manifest.webmanifest")
        assert manifest.headers["content-type"] == "application/manifest+json" and manifest.json()["display"] == "standalone"
        for icon in manifest.json()["icons"]:
            assert page.request.get(self.suite.base + icon["src"]).ok, icon
        # A single visit is enough for the application itself; what it shows is kept from the next on.
        page.wait_for_function("() => caches.open('vigil-shell').then(store => store.match('/js/pages/ecg.js')).then(Boolean)", timeout=20000)
        page.reload()
        page.wait_for_selector(".tile")
        page.wait_for_timeout(1500)
        context.set_offline(True)
        page.reload()
        page.locator("section.glance li, section.glance p").first.wait_for()
        page.wait_for_selector(".link-state:has-text('as of')", timeout=30000)
        # What was never asked for is not there, and no alarm is told from before.
        expect(page.locator(".banner")).to_contain_text("not known")
        context.set_offline(False)
        page.reload()
        page.wait_for_selector(".tile")
        kept = "() => caches.keys().then(names => names.includes('vigil-pictures'))"
        assert page.evaluate(kept)
        page.evaluate("() => fetch('/api/v1/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{\"name\":\"x\",\"password\":\"x\"}' })")
        assert not page.evaluate(kept)
        context.close()

    def check_help_is_called_from_the_simple_view(self):
        context = self.context(viewport={"width": 360, "height": 800})
        # The browser of the tests has no icon to put a number on.
        context.add_init_script("navigator.setAppBadge = count => { window.badge = count; return Promise.resolve(); }")
        page = self.open(context, "/settings")
        page.get_by_label("Begin with the simple view").check()
        page.wait_for_timeout(500)
        page.goto(self.suite.base + "/")
        page.wait_for_url("**/simple")
        self.go(page, "/p/cy/simple")
        help_button = page.get_by_role("button", name="I need help")
        assert help_button.bounding_box()["height"] >= 120
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            self.accessible(page, f"simple-{width}")
        context.set_offline(True)
        help_button.click()
        expect(page.locator(".simple .error")).to_contain_text("NOT called")
        context.set_offline(False)
        page.wait_for_selector(".link-state[data-state=live]", timeout=60000)
        expect(help_button).to_be_enabled(timeout=10000)
        help_button.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".simple [role=status]")).to_contain_text("Help is called", timeout=20000)
        page.wait_for_function("() => window.badge >= 1")
        self.go(page, "/alerts")
        row = page.locator("tbody tr", has_text="Help is called for")
        expect(row.locator(".sign")).to_have_text("▲ High")
        row.get_by_role("button", name="Acknowledge").click()
        expect(row).to_contain_text("acknowledged by operator", timeout=20000)
        self.go(page, "/p/cy/simple")
        expect(page.locator(".simple [role=status]")).to_contain_text("operator has seen your call", timeout=20000)
        self.go(page, "/settings")
        page.get_by_label("Begin with the simple view").uncheck()
        page.wait_for_timeout(500)
        context.close()

    def check_people_devices_and_audit(self):
        context = self.context(viewport={"width": 1280, "height": 800})
        page = self.open(context, "/people")
        page.get_by_label("Name", exact=True).last.fill("gran")
        form = page.locator("form", has=page.get_by_text("Screen on a wall"))
        form.get_by_label("carer").uncheck()
        form.get_by_label(re.compile("^patient")).check()
        form.get_by_label(re.compile("^Anna")).check()
        form.get_by_role("button", name="Add an account").click()
        page.locator("tr", has_text="gran").filter(has_text="Anna").wait_for()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            self.accessible(page, f"people-{width}")
        self.go(page, "/devices")
        page.locator("td[data-label=Battery]").first.wait_for()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            self.accessible(page, f"devices-{width}")
        self.go(page, "/audit")
        page.locator("tbody tr").first.wait_for()
        looks = page.locator("tr", has_text="looked at live pictures").count()
        assert looks <= 3, f"{looks} rows of live pictures"
        self.accessible(page, "audit-1280")
        self.go(page, "/alerts")
        page.wait_for_timeout(1000)
        self.accessible(page, "alerts-1280")
        context.close()

    def check_questionnaire_from_end_to_end(self):
        context = self.context(viewport={"width": 360, "height": 800})
        page = self.open(context, "/p/ben/questions")
        card = page.locator("section", has_text="PHQ-9")
        card.get_by_label("Remind").select_option("14")
        for last in (0, 1):
            card.get_by_role("button", name="Answer").click()
            if last == 0:
                page.get_by_role("button", name="Finish").click()
                expect(page.get_by_role("alert").last).to_contain_text("Question 1 has no answer")
                self.accessible(page, "questions-360")
            for place in range(9):
                # By the keyboard: the group is reached, and its second choice taken.
                page.locator(f"input[name=q{place}]").nth(0 if place < 8 or last else 1).focus()
                page.keyboard.press("Space")
                if place < 8 and last:
                    page.keyboard.press("ArrowDown")
            page.get_by_role("button", name="Finish").click()
            outcome = page.locator(".outcome")
            expect(outcome.locator(".big")).to_have_text("8 / 27" if last else "1 / 27")
            assert ("Speak to somebody now" in outcome.inner_text()) == (last == 0)
            self.accessible(page, f"outcome-{last}")
            outcome.get_by_role("button", name="Close").click()
        expect(card).to_contain_text("8 of 27, mild")
        expect(card.locator(".chip")).to_have_count(0)
        gad = page.locator("section", has_text="GAD-7")
        gad.get_by_label("Remind").select_option("7")
        page.wait_for_timeout(500)
        self.go(page, "/p/ben/summary")
        expect(page.locator("p.note", has_text="due: GAD-7")).to_be_visible()
        self.go(page, "/p/ben/questions")
        page.set_viewport_size({"width": 1280, "height": 800})
        self.accessible(page, "questionnaires-1280")
        assert self.readings("ben", "metric = 'phq9-score'") == [("phq9-score", 1.0), ("phq9-score", 8.0)]
        context.close()
