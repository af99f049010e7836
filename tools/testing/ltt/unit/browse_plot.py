#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What a user does with a page of `ltt plot`, in Chromium without a window.

usage: browse_plot.py PAGE LARGE-PAGE [DIRECTORY]

Of PAGE, of 20,000 events: clicks, zooms, pans, searches, and looks at what is shown then. Of LARGE-PAGE,
of a million: the first picture, and the time that one takes while it is moved. With DIRECTORY, screenshots
are left there.
"""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# What the page may take, in ms.
FIRST_PICTURE = 2000
PICTURE = 1000 / 60


class Browser:
    """Chromium, through its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/)"""

    def __init__(self):
        command = shutil.which("chromium") or sys.exit("chromium is not installed")
        self.directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # The ends that are its descriptors 3 and 4 must not be in the way of each other.
        theirs_in, ours_out = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe())
        ours_in, theirs_out = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe())
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash", command, "--headless", "--no-sandbox",
             "--disable-gpu", "--remote-debugging-pipe", "--window-size=1400,900",
             "--user-data-dir=" + self.directory.name],
            pass_fds=[theirs_in, theirs_out], stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.to, self.answers = os.fdopen(ours_out, "wb", buffering=0), os.fdopen(ours_in, "rb")
        self.session, self.number, self.wrong = {}, 0, []

    def answer(self):
        """The next message"""
        text = b""
        while not text.endswith(b"\0"):
            more = self.answers.read(1)
            if not more:
                sys.exit("the browser has ended")
            text += more
        return json.loads(text[:-1])

    def call(self, method, **parameters):
        """A request, and its result; what comes meanwhile is only looked at for mistakes of the page"""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters, **self.session}
        self.to.write(json.dumps(request).encode() + b"\0")
        while True:
            answer = self.answer()
            if answer.get("method") in ("Runtime.exceptionThrown", "Network.requestWillBeSent"):
                self.wrong.append(json.dumps(answer)[:500])
            if answer.get("id") == self.number:
                return answer["result"] if "result" in answer else sys.exit(json.dumps(answer))

    def open(self, path):
        """A new page, when it is there"""
        self.session = {}
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = {"sessionId": self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}
        self.call("Runtime.enable")
        self.call("Page.enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Page.navigate", url="file://" + os.path.realpath(path))
        while not self.ask("document.documentElement?.dataset.painted"):
            time.sleep(0.05)

    def ask(self, expression):
        """The value of an expression, of a promise when it has one"""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{expression}: {json.dumps(answer)[:500]}")
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        """Over the rows"""
        left, top = self.ask("(() => { const b = over.getBoundingClientRect(); return [b.x, b.y]; })()")
        self.call("Input.dispatchMouseEvent", type=kind, x=left + x, y=top + y, **more)

    def click(self, x, y):
        """With the left button"""
        for kind in "mousePressed", "mouseReleased":
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.ask("loadLines().then(() => new Promise(requestAnimationFrame))")

    def picture(self, name):
        """A screenshot"""
        if len(sys.argv) > 3 and sys.argv[3]:
            data = self.call("Page.captureScreenshot", format="png")["data"]
            with open(os.path.join(sys.argv[3], name + ".png"), "wb") as file:
                file.write(base64.b64decode(data))


def require(true, what):
    """Or all is wrong"""
    if not true:
        sys.exit(what)


def use(browser):
    """A page of 20,000 events"""
    browser.picture("all")
    require(browser.ask("rows.length > 5 && events.nr === 20000"), "rows")
    # Something is to be seen of each row.
    require(browser.ask("""(() => {
        const image = canvas.getContext("2d").getImageData(0, 0, width, height).data;
        return rows.filter(row => row.y + row.height < height).every(row => {
            for (let y = row.y; y < row.y + row.height - 1; y++)
                for (let x = NAMES; x < width; x++) {
                    const at = 4 * (y * width + x);
                    if (image[at] < 240 || image[at + 1] < 240 || image[at + 2] < 240)
                        return true;
                }
            return false;
        });
    })()"""), "a row is empty")
    browser.click(700, 30)
    here = browser.ask("document.querySelector('#lines .here').textContent")
    when = browser.ask("timeText(view.begin + (700 - NAMES) / scaleOf())")
    require(abs(float(here.split()[0]) - float(when)) < 0.01 and "[000]" in here, f"at {when}: {here}")
    browser.mouse("mouseWheel", 700, 30, deltaX=0, deltaY=-1000)
    require(browser.ask("new Promise(d => setTimeout(() => d((view.end - view.begin) / meta.end), 100))") < 0.2, "zoom")
    require(browser.ask("""(() => {
        const all = rows.length;
        toggleRows();
        const some = rows.length, busy = rows.every(row => row.hasNames || isBusy(row)),
              idle = allRows.filter(row => !rows.includes(row)).every(row => !isBusy(row));
        toggleRows();
        return some < all && busy && idle && rows.length === all;
    })()"""), "hidden rows")
    before = browser.ask("view.begin")
    browser.mouse("mousePressed", 700, 30, button="left", clickCount=1)
    browser.mouse("mouseMoved", 500, 30, button="left", buttons=1)
    browser.mouse("mouseReleased", 500, 30, button="left", clickCount=1)
    require(browser.ask("view.begin") > before, "pan")
    browser.picture("zoomed")
    found = browser.ask("search('sched_switch: .*next_pid [0-9]*7 ').then(() => { goTo(false); return matches.length; })")
    require(found > 0, "search")
    wanted = browser.ask("""(() => { let n = 0;
        for (let i = 0; i < events.nr; i++) n += /sched_switch: .*next_pid [0-9]*7 /.test(line(i)); return n; })()""")
    require(found == wanted, f"search: {found} of {wanted}")
    here = browser.ask("new Promise(d => setTimeout(() => d(document.querySelector('#lines .here').textContent), 100))")
    require("sched_switch" in here, "search: " + here)
    browser.picture("found")
    require("regular expression" in browser.ask("search('(').then(() => element('matches').textContent)").lower(), "search: (")
    browser.ask("setView(0, meta.end)")
    require(browser.ask("view.begin === 0 && view.end === meta.end"), "all of it")


def busy(browser):
    """ms of processor time that the page's thread has taken"""
    metrics = browser.call("Performance.getMetrics")["metrics"]
    return next(1000 * metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def measure(browser):
    """A page of a million. Others may keep the processors busy: it is its own time that counts."""
    painted = float(browser.ask("document.documentElement.dataset.painted"))
    first = busy(browser)
    browser.picture("million")
    before = busy(browser)
    times = browser.ask("""(() => {
        const times = [];
        for (let i = 0; i < 240; i++) {
            if (i === 120)
                setView(meta.end * 0.4, meta.end * 0.41);
            pan(i & 8 ? 0.01 : -0.01);
            times.push(draw());
        }
        return times.sort((a, b) => a - b);
    })()""")
    each = (busy(browser) - before) / len(times)
    print(f"first picture {first:.0f} ms of processor time, after {painted:.0f} ms; "
          f"then {each:.1f} ms a picture, {times[-12]:.1f} ms at most but for 5 %")
    require(first <= FIRST_PICTURE, "the first picture takes too long")
    require(each <= PICTURE, "a picture takes too long")


def main():
    browser = Browser()
    browser.open(sys.argv[1])
    use(browser)
    browser.open(sys.argv[2])
    measure(browser)
    require(not browser.wrong, "\n".join(browser.wrong))
    browser.process.kill()


main()
