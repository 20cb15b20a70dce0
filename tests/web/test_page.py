# SPDX-License-Identifier: MIT
"""The page in Chromium: as a file with the network off, and alive while a study runs."""
import json
import os
import pathlib
import re
import statistics
import subprocess
import time
import unittest

import postgres
from browser import Browser
from support import VBO, VboTest
from test_serve import HOSTILE, serve, write_hostile_study

SAMPLE_REPORT = os.environ["SAMPLE_REPORT"]
SHOTS = os.environ.get("VBO_SCREENSHOTS")  # a folder: leave pictures there to look at
ARROW_RIGHT, ESCAPE = "\ue014", "\ue00c"


class PageTest(VboTest):
    def browser(self, **more):
        browser = Browser(**more)
        self.addCleanup(browser.close)
        return browser

    def sample(self, trials, parameters, objectives=1):
        subprocess.run([SAMPLE_REPORT, str(trials), str(parameters), self.path("report.html"), str(objectives)], check=True)
        return (self.folder / "report.html").as_uri()

    def shot(self, browser, name, full=False):
        if SHOTS:
            browser.screenshot(pathlib.Path(SHOTS) / f"{name}.png", full)

    def assert_calm(self, browser):
        """Nothing was refused by the content policy, nothing failed, nobody was alerted."""
        self.assertIsNone(browser.alert())
        self.assertEqual(browser.log(), [])


class ReportFile(PageTest):
    def test_every_card_is_drawn_without_network(self):
        browser = self.browser()
        browser.open(self.sample(600, 5))
        browser.ready()
        cards = browser.run("return [...document.querySelectorAll('#cards > section:not([hidden])')].map((card) => card.id)")
        for card in ("progress", "answer", "importance", "space", "scatter", "trial", "slices", "results", "sources", "workers", "failures"):
            self.assertIn(card, cards)
        # Each plot has something on it, says what to look for, has labelled axes and can be saved.
        blank = browser.run("""return [...document.querySelectorAll('.plot')].filter((plot) => {
            const canvas = plot.querySelector('canvas');
            const painted = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte !== 0);
            return !painted && plot.querySelectorAll('svg rect, svg path').length === 0; }).map((plot) => plot.parentNode.id)""")
        self.assertEqual(blank, [])
        self.assertEqual(browser.run("return [...document.querySelectorAll('.card .hint')].filter((hint) => hint.textContent.length < 40).length"), 0)
        self.assertEqual(browser.run("return [...document.querySelectorAll('.plot')].filter((plot) => !plot.getAttribute('aria-label')).length"), 0)
        self.assertEqual(browser.run("return document.querySelector('#progress .x-title').textContent"), "evaluations")
        self.assertEqual(browser.run("return performance.getEntriesByType('resource').length"), 0)
        self.shot(browser, "report", full=True)
        self.assert_calm(browser)

    def test_saving_as_csv_and_svg(self):
        browser = self.browser()
        browser.open(self.sample(300, 3))
        browser.ready()
        browser.run("""window.saved = []; const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved.push([blob.type, text])); return make(blob); };""")
        browser.run("for (const button of document.querySelectorAll('.tools button')) button.click()")
        browser.wait("window.saved.length === document.querySelectorAll('.tools button').length", "all are saved")
        for kind, text in browser.run("return window.saved"):
            if kind == "text/csv":
                lines = text.splitlines()
                self.assertGreater(len(lines), 1)
                self.assertEqual(len({line.count(",") for line in lines}), 1)
            else:
                self.assertRegex(text, r"^<svg xmlns=")
                self.assertTrue(browser.run("return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelector('parsererror') === null", text))

    def test_brushing_selects_in_all_views(self):
        browser = self.browser()
        browser.open(self.sample(600, 4))
        browser.ready()
        browser.run("document.documentElement.style.scrollBehavior = 'auto'; document.getElementById('space').scrollIntoView()")
        before = self.pixels(browser)
        best = browser.run("return document.querySelector('#results tbody tr td:nth-child(2)').textContent")
        # Along the axis of the outcome, from the middle down: the worse half.
        x, top, bottom = browser.run("""const axes = document.querySelectorAll('#space g.axis'); const box = axes[axes.length - 1].querySelector('.rule').getBoundingClientRect();
            return [box.left, box.top, box.bottom]""")
        browser.drag(x, (top + bottom) / 2, x, bottom - 3)
        words = browser.wait("document.querySelector('.selection').textContent.includes(' of ') && document.querySelector('.selection').textContent", "something is selected")
        selected = int(re.match(r"(\d+) trials? of 600", words).group(1))
        self.assertTrue(250 < selected < 320, words)
        browser.wait(f"document.querySelector('#results tbody tr td:nth-child(2)').textContent !== '{best}'", "the table shows the selection")
        for view in ("space", "scatter", "progress", "slices"):
            self.wait_until(lambda: self.pixels(browser)[view] != before[view], f"{view} shows the selection")
        browser.run("document.getElementById('clear-selection').click()")
        for view in ("space", "scatter", "progress", "slices"):
            self.wait_until(lambda: self.pixels(browser)[view] == before[view], f"{view} shows everything again")
        self.assert_calm(browser)

    @staticmethod
    def pixels(browser):
        """A checksum of what is painted on each plot."""
        return browser.run("""return Object.fromEntries([...document.querySelectorAll('.plot')].map((plot) => {
            const canvas = plot.querySelector('canvas');
            const data = canvas.toDataURL();
            let sum = canvas.width;
            for (let i = 0; i < data.length; ++i) sum = (sum * 31 + data.charCodeAt(i)) | 0;
            return [plot.parentNode.id, sum]; }))""")

    def test_one_trial_in_focus_by_mouse_and_keyboard(self):
        browser = self.browser()
        browser.open(self.sample(200, 3))
        browser.ready()
        title = "document.querySelector('#trial .lead strong').textContent"
        best = browser.run(f"return {title}")
        before = self.pixels(browser)
        browser.run("document.querySelectorAll('#results tbody tr')[3].click()")
        chosen = browser.run(f"return {title}")
        self.assertNotEqual(chosen, best)
        browser.ready()
        after = self.pixels(browser)
        for view in ("progress", "space", "scatter", "slices"):
            self.assertNotEqual(before[view], after[view])
        browser.run("document.querySelector('#progress .plot').focus()")
        browser.keys(ARROW_RIGHT)
        self.assertNotEqual(browser.run(f"return {title}"), chosen)
        self.assertIn("Suggested by source", browser.run("return document.querySelector('#trial .why').textContent"))
        self.assertFalse(browser.run("return document.querySelector('#trial details').open"), "numbers come second")
        browser.keys(ESCAPE)
        self.assertIn("No trial is chosen", browser.run("return document.querySelector('#trial').textContent"))
        # By keyboard alone: numbers as filters.
        browser.run("""const field = document.querySelector('.filter input'); field.closest('details').open = true;
            field.value = '0.6'; field.dispatchEvent(new Event('change'))""")
        self.assertIn("x1 from 0.6 to 1", browser.run("return document.querySelector('.selection').textContent"))

    def test_light_and_dark(self):
        browser = self.browser(dark=True)
        browser.open(self.sample(100, 2))
        browser.ready()
        background = "getComputedStyle(document.body).backgroundColor"
        dark = browser.run(f"return {background}")
        painted = self.pixels(browser)["progress"]
        browser.run("document.getElementById('scheme').click()")
        browser.ready()
        light = browser.run(f"return {background}")
        bright = lambda color: sum(map(int, re.findall(r"\d+", color)[:3]))
        self.assertLess(bright(dark), 150)
        self.assertGreater(bright(light), 650)
        self.assertNotEqual(self.pixels(browser)["progress"], painted)
        self.shot(browser, "light")

    def test_narrow_and_wide(self):
        for width, height in ((400, 800), (1440, 900), (3840, 2160)):
            browser = self.browser(width=width, height=height)
            browser.open(self.sample(300, 6))
            browser.ready()
            self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), width, "nothing sticks out")
            self.shot(browser, f"width-{width}", full=True)

    # Texts of a plot, with the sides of each and of the card that it is in.
    TEXTS = """return [...document.querySelectorAll(arguments[0])].map((text) => { const box = text.getBoundingClientRect(), card = text.closest('.card').getBoundingClientRect(); const whole = text.querySelector('title');
        return { shown: text.firstChild?.data ?? '', whole: whole?.textContent ?? null, left: box.left - card.left, right: card.right - box.right, top: box.top - card.top, bottom: card.bottom - box.bottom }; })"""

    def test_long_names_stay_inside_their_cards(self):
        names = [f"{word}_parameter_name_that_is_rather_long_indeed" for word in ("learning_rate", "depth", "kernel")]
        choices = [f"choice_{letter}_with_a_long_description" for letter in "abc"]
        parameters = "".join(f"[[parameter]]\nname = \"{name}\"\ntype = \"float\"\nlow = 0.0\nhigh = 1.0\n" for name in names[:2])
        self.write("study.toml", f"""[study]
name = "long"
goal = "minimize"
budget = 30
batch = 10
seed = 1
storage = "long.db"
[optimizer]
method = "random"
{parameters}
[[parameter]]
name = "{names[2]}"
type = "categorical"
choices = {json.dumps(choices)}
[evaluate]
command = ["sh", "-c", "if test $(($VBO_TRIAL_ID % 5)) = 0; then echo 'RuntimeError: CUDA out of memory while a large tensor was allocated' >&2; exit 3; fi; echo $VBO_TRIAL_ID"]
retries = 0
""")
        self.vbo("run", "study.toml", expect=None)
        self.vbo("report", "long.db", "-o", "report.html")
        for width, height in ((400, 800), (1280, 900), (1440, 900)):
            browser = self.browser(width=width, height=height)
            browser.open((self.folder / "report.html").as_uri())
            browser.ready()
            self.shot(browser, f"long-names-{width}", full=True)
            for text in browser.run(self.TEXTS, "#space text.name"):
                self.assertGreaterEqual(min(text["left"], text["right"]), 0, f"{width}: {text}")
            browser.run("""const [x, y] = document.querySelectorAll('#scatter select');
                x.value = '2'; y.value = '2'; x.dispatchEvent(new Event('change')); y.dispatchEvent(new Event('change'))""")
            browser.ready()
            self.shot(browser, f"long-choices-{width}", full=True)
            for part in (".y-title text", ".x-title text", ".y-axis .tick text", ".x-axis .tick text"):
                found = browser.run(self.TEXTS, f"#scatter {part}")
                self.assertTrue(found, part)
                for text in found:
                    self.assertGreaterEqual(min(text["left"], text["right"]), 0, f"{width}: {part} {text}")
            plot = browser.run("return document.querySelector('#scatter .plot').getBoundingClientRect().top - document.querySelector('#scatter').getBoundingClientRect().top")
            [title] = browser.run(self.TEXTS, "#scatter .y-title text")
            self.assertGreaterEqual(title["top"], plot, "the title of the axis is below the hint")
            for text in browser.run(self.TEXTS, "#scatter .y-axis .tick text") + browser.run(self.TEXTS, "#slices text.tick"):
                if text["whole"] in choices and text["shown"] != text["whole"]:
                    self.assertTrue(text["shown"].endswith("…"), text)
            sides = browser.run("""return [...document.querySelectorAll('#scatter select')].map((select) =>
                select.closest('.card').getBoundingClientRect().right - select.getBoundingClientRect().right)""")
            self.assertGreaterEqual(min(sides), 0, f"{width}: the choice of an axis is inside the card")
            # Every cell of the failures is seen without scrolling.
            hidden = browser.run("""const card = document.querySelector('#failures').getBoundingClientRect();
                return [...document.querySelectorAll('#failures td')].filter((cell) => cell.getBoundingClientRect().right > card.right).map((cell) => cell.textContent)""")
            self.assertEqual(hidden, [], width)
            self.assertIn("CUDA out of memory", browser.run("return document.querySelector('#failures td:nth-child(4)').textContent"))
            self.assert_calm(browser)

    def test_hostile_names_are_text(self):
        write_hostile_study(self)
        self.vbo("report", "hostile.toml", "-o", "report.html")
        browser = self.browser()
        browser.open((self.folder / "report.html").as_uri())
        browser.ready()
        self.assertEqual(browser.run("return document.querySelector('#study-name').textContent"), HOSTILE)
        self.assertEqual(browser.run("return document.querySelector('#answer tbody th').textContent"), HOSTILE)
        self.assertIn(HOSTILE, browser.run("return document.querySelector('#failures').textContent"))
        browser.run("document.querySelector('#failures tbody button').click()")
        self.assertIn(HOSTILE, browser.run("return document.querySelector('#trial pre').textContent"))
        self.assertEqual(browser.run("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(browser.run("return document.querySelectorAll('script:not([type])').length"), 1)
        self.assert_calm(browser)

    def test_several_studies(self):
        for name in ("a", "b"):
            self.study(name=f"{name}.toml", budget=30)
            text = (self.folder / f"{name}.toml").read_text().replace("parabola", name).replace("seed = 1", f"seed = {ord(name)}")
            self.write(f"{name}.toml", text)
            self.vbo("run", f"{name}.toml")
        self.vbo("report", "a.db", "b.db", "-o", "both.html")
        browser = self.browser()
        browser.open((self.folder / "both.html").as_uri())
        browser.ready()
        self.assertIn("compare", browser.run("return [...document.querySelectorAll('#cards > section')].map((card) => card.id)"))
        self.assertEqual(browser.run("return document.querySelector('#study-name').textContent"), "a")
        answers = browser.run("return [...document.querySelectorAll('#compare tbody tr')].map((row) => row.textContent)")
        self.assertTrue(any(row.startswith("best") for row in answers) and any(row.startswith("x") for row in answers), answers)
        browser.run("document.querySelectorAll('#tabs button')[1].click()")
        self.assertEqual(browser.run("return document.querySelector('#study-name').textContent"), "b")
        self.assert_calm(browser)

    def test_why_is_what_vbo_explain_says(self):
        self.study(budget=16, batch=2, workers=1, method="gp-logei")
        self.vbo("run", "study.toml")
        self.vbo("report", "parabola.db", "-o", "report.html")
        browser = self.browser()
        browser.open((self.folder / "report.html").as_uri())
        browser.ready()
        best = self.json("best", "parabola.db")["id"]
        self.assertEqual(browser.run("return document.querySelector('#trial .why').textContent"), self.json("explain", "parabola.db", best)["why"])
        self.assert_calm(browser)

    def test_a_study_whose_evaluations_all_fail(self):
        self.study(["sh", "-c", "echo starting >&2; echo CUDA out of memory >&2; exit 3"], budget=6)
        self.vbo("run", "study.toml", expect=3)
        self.vbo("report", "parabola.db", "-o", "report.html")
        browser = self.browser()
        browser.open((self.folder / "report.html").as_uri())
        browser.ready()
        answer = browser.run("return document.querySelector('#answer').textContent")
        for words in ("Every evaluation fails", "exit code 3", "CUDA out of memory", "vbo retry"):
            self.assertIn(words, answer)
        self.assertIn("CUDA out of memory", browser.run("return document.querySelector('#failures td:nth-child(4)').textContent"))
        self.assertEqual(browser.run("return document.querySelectorAll('.plot').length"), 0, "no empty plots")
        self.assertIn("every evaluation fails", browser.run("return document.querySelector('#tiles').textContent"))
        self.assert_calm(browser)

    def test_size_of_ten_thousand_trials(self):
        self.sample(10000, 12)
        self.assertLess(os.path.getsize(self.path("report.html")), 1_500_000)

    def test_a_hundred_thousand_trials(self):
        browser = self.browser()
        browser.open(self.sample(100000, 12))
        browser.ready()
        drawn = browser.run("return performance.now()")
        # A hand that drags along the third axis, one step per frame.
        browser.run("document.documentElement.style.scrollBehavior = 'auto'; document.getElementById('space').scrollIntoView()")
        browser.ready()
        times = browser.later(DRAG, 60)
        frames = sorted(times[2:])
        fps = 1000 * len(frames) / sum(frames)
        print(f"\n100,000 trials: drawn after {drawn / 1000:.2f} s; brushed at {fps:.0f} frames a second, the slowest tenth above {frames[-len(frames) // 10]:.0f} ms", flush=True)
        # What is left at the end is exact, and drawn whole: like the same filter set at once.
        words = browser.wait("document.querySelector('.selection').textContent.includes(' of 100') && document.querySelector('.selection').textContent", "something is selected")
        self.assertRegex(words, r"^\d\d\s\d{3} trials of 100\s000: x3 from")
        time.sleep(0.6)
        rested = self.pixels(browser)["space"]
        browser.run("window.dispatchEvent(new Event('resize')); document.getElementById('scheme').click(); document.getElementById('scheme').click()")
        browser.ready()
        self.wait_until(lambda: self.pixels(browser)["space"] == rested, "everything is drawn when the hand rests")
        if calm():
            self.assertLess(drawn, 2000)
            self.assertGreater(fps, 30)
        self.assertLess(drawn, 20000, "something takes more than linear time")
        self.assertGreater(fps, 0.3, "something takes more than linear time")
        self.shot(browser, "100000")
        self.assert_calm(browser)

    def test_printing(self):
        browser = self.browser(dark=True)
        browser.open(self.sample(300, 6))
        browser.ready()
        before = self.pixels(browser)
        browser.run("""window.addEventListener('beforeprint', () => { window.paper = {
            widths: [...document.querySelectorAll('.plot svg')].map((svg) => Number(svg.getAttribute('width'))),
            background: getComputedStyle(document.documentElement).getPropertyValue('--card') }; })""")
        file = pathlib.Path(SHOTS or self.folder) / "report.pdf"
        browser.print(file)
        paper = browser.run("return window.paper")
        self.assertEqual(paper["background"].strip(), "#ffffff", "white paper, also at night")
        self.assertLessEqual(max(paper["widths"]), 718, "nothing is wider than the paper")
        self.assertGreater(min(paper["widths"]), 500)
        pages = len(re.findall(rb"/Type\s*/Page\b", file.read_bytes()))
        self.assertTrue(2 <= pages <= 12, f"{pages} pages")
        # And the screen is as it was.
        browser.ready()
        self.wait_until(lambda: self.pixels(browser) == before, "the screen is drawn again")
        self.assert_calm(browser)

    def test_constraints_and_infeasible_inputs(self):
        self.write("study.toml", """[study]
name = "limited"
goal = "minimize"
budget = 40
batch = 8
seed = 1
storage = "limited.db"
[optimizer]
method = "random"
[[parameter]]
name = "a"
type = "float"
low = 0.0
high = 1.0
[[parameter]]
name = "b"
type = "float"
low = 0.0
high = 1.0
[[constraint]]
require = "a + b <= 1.2"
[evaluate]
command = ["sh", "-c", "case $(($VBO_TRIAL_ID % 5)) in 0) exit 65;; 1) exit 3;; *) echo $VBO_TRIAL_ID.5;; esac"]
retries = 0
""")
        self.vbo("run", "study.toml", expect=None)
        self.vbo("report", "limited.db", "-o", "report.html")
        browser = self.browser()
        browser.open((self.folder / "report.html").as_uri())
        browser.ready()
        self.assertIn("slack of a + b <= 1.2", browser.run("return document.querySelector('#constraints .name').textContent"))
        note = browser.run("return document.querySelector('#progress .note').textContent")
        self.assertIn("Red ticks at the bottom: 8 failures.", note)
        self.assertIn("Amber ticks: 8 infeasible inputs.", note)
        self.assertIn("constraints", self.pixels(browser))
        self.shot(browser, "constraints", full=True)
        self.assert_calm(browser)


class SeveralObjectives(PageTest):
    FRONT = "document.querySelector('#front .note').textContent"

    def opened(self, trials, parameters, objectives, **more):
        browser = self.browser(**more)
        browser.open(self.sample(trials, parameters, objectives))
        browser.ready()
        browser.run("document.documentElement.style.scrollBehavior = 'auto'")
        return browser

    def test_every_card_is_drawn(self):
        browser = self.opened(600, 5, 2)
        cards = browser.run("return [...document.querySelectorAll('#cards > section:not([hidden])')].map((card) => card.id)")
        self.assertEqual(cards[:4], ["front", "answer", "trade-offs", "progress"])
        size = int(browser.run("return document.querySelector('#tiles strong').textContent"))
        self.assertGreater(size, 5)
        self.assertRegex(browser.run(f"return {self.FRONT}"), rf"^{size} results on the front, {600 - 12 - size} behind it")
        self.assertEqual(browser.run("return document.querySelector('#study-about').textContent.split(', method')[0]"), "minimize objective 1, maximize objective 2")
        # Knee and extremes have their names on the plot, and a column each in the answer.
        names = {"best objective 1", "best objective 2", "knee"}
        self.assertEqual(set(browser.run("return [...document.querySelectorAll('#front .names text')].map((text) => text.textContent)")), names)
        self.assertEqual({text.split(", trial")[0] for text in browser.run("return [...document.querySelectorAll('#answer thead button')].map((b) => b.textContent)")}, names)
        prices = browser.run("return [...document.querySelectorAll('#trade-offs tbody td:last-child')].map((cell) => cell.textContent)")
        self.assertTrue(all(re.match(r"\S+ of objective 1 buys \S+ of objective 2$", price) for price in prices[:-1]), prices)
        self.assertEqual(prices[-1], "")
        # What is best in one objective is the first or the last stop.
        answer = browser.run("return [...document.querySelectorAll('#answer thead button')].map((b) => b.textContent.split(', trial ')[1])")
        stops = browser.run("return [...document.querySelectorAll('#trade-offs tbody button')].map((b) => b.textContent.split(' ')[1])")
        self.assertEqual([stops[0], stops[-1]], answer[:2])
        self.assertEqual(browser.run("return document.querySelector('#progress .y-title').textContent"), "hypervolume")
        axes = browser.run("return [...document.querySelectorAll('#space g.axis text.name')].map((text) => text.querySelector('title').textContent)")
        self.assertEqual(axes, ["x1", "x2", "x3", "x4", "x5", "objective 1", "objective 2"])
        blank = browser.run("""return [...document.querySelectorAll('.plot')].filter((plot) => {
            const canvas = plot.querySelector('canvas');
            const painted = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte !== 0);
            return !painted && plot.querySelectorAll('svg rect, svg path').length === 0; }).map((plot) => plot.parentNode.id)""")
        self.assertEqual(blank, [])
        self.shot(browser, "several", full=True)
        self.assert_calm(browser)

    def test_importance_of_all_objectives_or_of_one(self):
        browser = self.opened(300, 4, 3)
        bars = "document.querySelectorAll('#importance rect.amount').length"
        self.assertEqual(browser.run(f"return {bars}"), 12, "four parameters, three objectives")
        browser.run("const choice = document.querySelector('#importance select'); choice.value = '1'; choice.dispatchEvent(new Event('change'))")
        browser.wait(f"{bars} >= 4 && {bars} < 12 && document.querySelectorAll('#importance path.interval').length === {bars}", "one objective with its intervals")
        self.assert_calm(browser)

    def test_saving_as_csv_and_svg(self):
        browser = self.opened(300, 3, 3)
        browser.run("""window.saved = []; const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved.push([blob.type, text])); return make(blob); };""")
        browser.run("for (const button of document.querySelectorAll('.tools button')) button.click()")
        browser.wait("window.saved.length === document.querySelectorAll('.tools button').length", "all are saved")
        heads = []
        for kind, text in browser.run("return window.saved"):
            if kind == "text/csv":
                heads.append(text.splitlines()[0])
                self.assertEqual(len({line.count(",") for line in text.splitlines()}), 1, heads[-1])
            else:
                self.assertTrue(browser.run("return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelector('parsererror') === null", text))
        self.assertIn("trial,objective 1,objective 2,objective 3,on_front,within_limits", heads)
        self.assertIn("evaluation,trial,front_size,hypervolume", heads)

    def test_a_rectangle_on_the_front_selects_in_all_views(self):
        browser = self.opened(600, 4, 2)
        before = ReportFile.pixels(browser)
        browser.run("document.getElementById('front').scrollIntoView()")
        x, y, right, bottom = browser.run("""const box = document.querySelector('#front .brush .overlay').getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom]""")
        browser.drag(x + 3, y + 3, x + (right - x) / 3, bottom - 3)
        words = browser.wait("document.querySelector('p.selection').textContent.includes(' of 600') && document.querySelector('p.selection').textContent", "something is selected")
        self.assertIn("objective 1 from", words)
        self.assertIn("objective 2 from", words)
        many = int(re.match(r"(\d+) trial", words).group(1))
        self.assertTrue(1 <= many < 500, words)
        # The filter says the same in numbers: what the table shows lies in it.
        low, high = map(float, re.search(r"objective 1 from (\S+) to ([\d.]+)", words).groups())
        browser.wait(f"[...document.querySelectorAll('#results tbody td:nth-child(2)')].every((cell) => Number(cell.textContent) <= {high} + 1e-3)", "the table shows the selection")
        self.assertLess(low, high)
        for view in ("space", "scatter", "slices", "front"):
            self.wait_until(lambda: ReportFile.pixels(browser)[view] != before[view], f"{view} shows the selection")
        browser.run("document.getElementById('clear-selection').click()")
        for view in ("space", "scatter", "slices", "front"):
            self.wait_until(lambda: ReportFile.pixels(browser)[view] == before[view], f"{view} shows everything again")
        # And from the axis of an objective in "Space" to the front.
        browser.run("document.getElementById('space').scrollIntoView()")
        x, top, bottom = browser.run("""const axes = document.querySelectorAll('#space g.axis'); const box = axes[axes.length - 1].querySelector('.rule').getBoundingClientRect();
            return [box.left, box.top, box.bottom]""")
        browser.drag(x, top + 3, x, (top + bottom) / 2)
        browser.wait("document.querySelector('p.selection').textContent.includes('objective 2 from')", "an objective is filtered")
        self.wait_until(lambda: ReportFile.pixels(browser)["front"] != before["front"], "the front shows it")
        # By numbers, too.
        browser.run("""document.getElementById('clear-selection').click();
            const field = document.querySelector('.filter input[aria-label="objective 1 to"]'); field.closest('details').open = true;
            field.value = '0.5'; field.dispatchEvent(new Event('change'))""")
        self.assertRegex(browser.run("return document.querySelector('p.selection').textContent"), r"objective 1 from \S+ to 0.5")
        self.assert_calm(browser)

    def test_any_two_objectives(self):
        browser = self.opened(400, 4, 3)
        before = ReportFile.pixels(browser)["front"]
        browser.run("const [, y] = document.querySelectorAll('#front select'); y.value = '2'; y.dispatchEvent(new Event('change'))")
        self.wait_until(lambda: ReportFile.pixels(browser)["front"] != before, "another plane")
        self.assertEqual(browser.run("return document.querySelector('#front .y-title').textContent"), "objective 3 (minimize)")
        self.assertIn("on the front of all 3 objectives", browser.run(f"return {self.FRONT}"))
        browser.run("const choice = document.querySelector('#trade-offs select'); choice.value = '2'; choice.dispatchEvent(new Event('change'))")
        self.assertEqual(browser.run("return [...document.querySelectorAll('#trade-offs thead th')].map((th) => th.textContent)")[1:3], ["objective 2", "objective 3"])
        browser.run("document.querySelector('#trade-offs tbody button').click()")
        self.assertIn("on the front", browser.run("return document.querySelector('#trial').textContent"))
        self.assert_calm(browser)

    def test_narrow_and_wide_light_and_dark(self):
        for width, height, dark in ((400, 800, True), (1440, 900, True), (3840, 2160, False)):
            browser = self.opened(300, 6, 4, width=width, height=height, dark=dark)
            self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), width, "nothing sticks out")
            self.assertGreater(browser.run("return document.querySelector('#front canvas').getBoundingClientRect().width"), 0.8 * width - 60)
            self.shot(browser, f"several-{width}", full=True)
            self.assert_calm(browser)

    def test_a_hundred_thousand_trials(self):
        browser = self.opened(100000, 6, 2)
        drawn = browser.run("return performance.now()")
        note = browser.run(f"return {self.FRONT}")
        size = int(re.match(r"(\d+)", note).group(1))
        self.assertRegex(note, rf"^{size} results on the front, 9[78]\s\d{{3}} behind it or outside a limit. 20\s000 of these are drawn.")
        times = sorted(browser.later(DRAG, 40)[2:])
        fps = 1000 * len(times) / sum(times)
        print(f"\n100,000 trials, two objectives, {size} on the front: drawn after {drawn / 1000:.2f} s; brushed at {fps:.0f} frames a second", flush=True)
        if calm():
            self.assertLess(drawn, 3000)
            self.assertGreater(fps, 30)
        self.assertLess(drawn, 20000, "something takes more than linear time")
        self.assertGreater(fps, 0.3, "something takes more than linear time")
        self.shot(browser, "several-100000", full=True)
        self.assert_calm(browser)

    def test_nothing_evaluated_and_hostile_names(self):
        name = "<b>error</b>"
        self.write("study.toml", f"""parameter = [{{name = "x", type = "float", low = 0.0, high = 1.0}}]
objective = [{{name = "{name}", goal = "minimize"}}, {{name = "speed", goal = "maximize"}}]
[study]
budget = 10
storage = "study.db"
[optimizer]
method = "random"
[evaluate]
command = ["true", "{{x}}"]
""")
        self.vbo("ask", "study.toml", "-n", 3)
        self.vbo("report", "study.db", "-o", "report.html")
        browser = self.browser()
        browser.open((self.folder / "report.html").as_uri())
        browser.ready()
        self.assertIn("Nothing has succeeded yet", browser.run("return document.querySelector('#answer').textContent"))
        self.assertEqual(browser.run("return document.querySelector('#tiles strong').textContent"), "0")
        self.assertEqual(browser.run("return document.querySelector('#front option').textContent"), name)
        self.assertEqual(browser.run("return document.querySelectorAll('main b').length"), 0)
        self.assert_calm(browser)

    def test_printing(self):
        browser = self.opened(200, 4, 2, dark=True)
        file = pathlib.Path(SHOTS or self.folder) / "several.pdf"
        browser.print(file)
        self.assertTrue(2 <= len(re.findall(rb"/Type\s*/Page\b", file.read_bytes())) <= 12)
        self.assert_calm(browser)


# Drags along the third axis of "Space", a step per frame, and gives the time of each frame in ms.
DRAG = """const [frames, done] = arguments; const axis = document.querySelectorAll('#space g.axis')[2];
    const box = axis.querySelector('.rule').getBoundingClientRect();
    const fire = (target, type, y) => target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window, clientX: box.left, clientY: y, buttons: 1 }));
    fire(axis.querySelector('.brush .overlay'), 'mousedown', box.top + 20);
    const times = []; let last = performance.now();
    const step = () => { const now = performance.now(); times.push(now - last); last = now;
      const y = box.top + 20 + times.length / frames * (box.height - 40);
      if (times.length >= frames) { fire(window, 'mouseup', y); done(times); return; }
      fire(window, 'mousemove', y); requestAnimationFrame(step); };
    requestAnimationFrame(step);"""


def calm():
    """Whether times mean anything: nobody else computes on this machine."""
    return os.getloadavg()[0] < 0.75 * os.cpu_count()


class Live(PageTest):
    def test_results_appear_while_the_study_runs(self):
        self.study(["sh", "-c", "sleep 0.1; awk 'BEGIN {printf \"%.17g\\n\", ({x} - 1) ^ 2 + {n} / 10}'"], budget=40, workers=2)
        self.vbo("ask", "study.toml")
        url = serve(self, "study.toml")
        browser = self.browser()
        browser.open(url)
        browser.ready()
        browser.wait("document.getElementById('live').textContent === 'live'", "the page is connected")
        evaluated = "document.querySelectorAll('#tiles strong')[1].textContent"
        self.assertEqual(browser.run(f"return {evaluated}"), "0")
        run = self.start("run", "study.toml")
        browser.wait(f"Number({evaluated}) > 3", "results appear")
        early = int(browser.run(f"return {evaluated}"))
        browser.wait(f"Number({evaluated}) > {early}", "more appear without loading the page again")
        self.finish(run, 0)
        browser.wait(f"{evaluated} === '40'", "the end appears")
        self.assertEqual(browser.run("return document.querySelectorAll('#tiles strong')[0].textContent").replace("−", "-")[:4],
                         f"{self.json('best', 'parabola.db')['value']:.6g}"[:4])
        browser.wait("document.querySelector('#importance').textContent.includes('of 40 results') || document.querySelector('#importance').textContent.includes('ew results')", "importance follows")
        browser.run("document.querySelector('#results tbody tr').click()")
        self.shot(browser, "live", full=True)
        self.assert_calm(browser)

    def test_a_result_that_was_replaced_says_so(self):
        self.study(budget=8)
        self.vbo("run", "study.toml")
        best = self.json("best", "parabola.db")
        self.vbo("tell", "parabola.db", best["id"], best["value"] - 1, "--replace", "decimal <b>point</b>")
        browser = self.browser()
        browser.open(serve(self, "parabola.db"))
        browser.ready()
        browser.wait("document.querySelector('#trial .change')", "the change is shown")
        words = browser.run("return document.querySelector('#trial .change').textContent")
        self.assertIn("replaced (decimal <b>point</b>): was completed", words)
        self.assertIn("not yet told to the method", words)
        self.assertEqual(browser.run("return document.querySelectorAll('#trial b').length"), 0)
        self.assert_calm(browser)

    def test_the_front_grows_while_the_study_runs(self):
        self.write("two.toml", r"""parameter = [{name = "x", type = "float", low = 0.0, high = 1.0}, {name = "y", type = "float", low = 0.0, high = 1.0}]
objective = [{name = "error", goal = "minimize"}, {name = "speed", goal = "maximize"}]
[study]
name = "two"
budget = 40
batch = 4
seed = 1
storage = "two.db"
[optimizer]
method = "random"
[evaluate]
command = ["sh", "-c", "sleep 0.05; awk 'BEGIN {printf \"{\\\"values\\\": {\\\"error\\\": %.9g, \\\"speed\\\": %.9g}}\\n\", {x} + {y} / 9, {x} ^ 0.5 - {y} / 9}'"]
workers = 2
""")
        self.vbo("ask", "two.toml")
        browser = self.browser()
        browser.open(serve(self, "two.toml"))
        browser.ready()
        browser.wait("document.getElementById('live').textContent === 'live'", "the page is connected")
        self.assertEqual(browser.run("return document.querySelector('#tiles strong').textContent"), "0")
        run = self.start("run", "two.toml")
        browser.wait("document.querySelectorAll('#trade-offs tbody tr').length > 1", "a front with several results")
        self.finish(run, 0)
        browser.wait("document.querySelectorAll('#tiles strong')[2].textContent === '40'", "the end appears")
        status = self.json("status", "two.db")
        self.assertEqual(browser.run("return document.querySelector('#tiles strong').textContent"), str(status["front"]["size"]))
        browser.wait("document.querySelectorAll('#importance rect.amount').length === 4", "importance for both objectives follows")
        knee = status["front"]["knee"]
        if knee:
            self.assertIn(f"knee, trial {knee}", browser.run("return document.querySelector('#answer').textContent"))
        self.shot(browser, "live-several", full=True)
        self.assert_calm(browser)

    # The page notes when its number of evaluations changes, by the clock that this process has, too.
    NOTE_TIMES = """window.seen = []; const tiles = document.getElementById('tiles');
        const count = () => Number(tiles.querySelectorAll('strong')[1].textContent);
        let last = count();
        new MutationObserver(() => { if (count() !== last) { last = count(); window.seen.push([last, Date.now() / 1000]); } })
          .observe(tiles, { childList: true, subtree: true, characterData: true });"""

    def follow(self, study, storage, url, what):
        """Opens the page and tells results one by one; each has to appear within a second."""
        ids = [suggestion["id"] for suggestion in self.json("ask", study, "-n", 7)]
        browser = self.browser()
        browser.open(url)
        browser.ready()
        browser.wait("document.getElementById('live').textContent === 'live'", "the page is connected")
        browser.run(self.NOTE_TIMES)
        waits = []
        for count, trial in enumerate(ids, 1):
            self.vbo("tell", storage, trial, count)
            told = time.time()
            browser.wait(f"window.seen.some(([many]) => many === {count})", f"result {count} appears")
            seen = dict(map(tuple, browser.run("return window.seen")))[count]
            waits.append(max(0.0, seen - told))
        print(f"\n{what}: a result is on the page {statistics.median(waits):.2f} s after it was told, at most {max(waits):.2f} s", flush=True)
        if calm():
            self.assertLess(max(waits), 1.0)
        self.assertLess(statistics.median(waits), 10.0)
        return browser

    def test_a_result_appears_within_a_second(self):
        self.study(budget=40)
        self.vbo("ask", "study.toml")
        self.assert_calm(self.follow("study.toml", "parabola.db", serve(self, "study.toml"), "SQLite"))

    def test_on_postgres(self):
        server = postgres.Server()
        self.addCleanup(server.end)
        storage = f"{server.url}&study=page"
        self.study(["sh", "-c", "sleep 0.1; awk 'BEGIN {printf \"%.17g\\n\", ({x} - 1) ^ 2 + {n} / 10}'"], budget=40)
        path = self.folder / "study.toml"
        path.write_text(path.read_text().replace('"parabola.db"', json.dumps(storage)))
        self.vbo("ask", "study.toml")
        browser = self.follow("study.toml", storage, serve(self, "study.toml"), "PostgreSQL")
        run = self.start("run", "study.toml")
        evaluated = "document.querySelectorAll('#tiles strong')[1].textContent"
        browser.wait(f"Number({evaluated}) > 10", "results of a running study appear")
        # The server restarts under both: the page says so or not, and both go on.
        self.finish(run, 0)
        server.stop()
        browser.wait("document.getElementById('live').className === 'live off' || document.getElementById('live').textContent !== 'live'", "the page notices")
        server.again()
        browser.wait(f"document.getElementById('live').textContent === 'live' && {evaluated} === '40'", "the page is up to date again")
        self.shot(browser, "postgres", full=True)

    def test_the_server_may_go_and_come_back(self):
        self.study(budget=20)
        self.vbo("ask", "study.toml", "-n", 1)
        url, process, port = serve(self, "study.toml", more=True)
        browser = self.browser()
        browser.open(url)
        browser.ready()
        browser.wait("document.getElementById('live').textContent === 'live'", "the page is connected")
        process.kill()
        process.wait()
        browser.wait("document.getElementById('live').className === 'live off'", "the page notices")
        self.vbo("run", "study.toml")
        serve(self, "study.toml", "--port", port)
        browser.wait("document.querySelectorAll('#tiles strong')[1].textContent === '20'", "the page is up to date again")

    def test_with_a_token(self):
        self.study(budget=20)
        self.vbo("ask", "study.toml", "-n", 1)
        self.write("token", "a-long-enough-token\n")
        url = serve(self, "study.toml", "--token-file", "token")
        browser = self.browser()
        browser.open(url)
        browser.wait("!document.getElementById('token-form').hidden", "the page asks")
        browser.run("document.getElementById('token').value = 'a-long-enough-token'; document.querySelector('#token-form button').click()")
        browser.ready()
        self.assertEqual(browser.run("return document.querySelector('#study-name').textContent"), "parabola")
        again = self.browser()
        again.open(f"{url}#token=a-long-enough-token")
        again.ready()
        self.assertEqual(again.run("return location.hash"), "")


if __name__ == "__main__":
    unittest.main()
