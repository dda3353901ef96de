"""measure_page.py BROWSER FOLDER PAGE...: draw each page 1,200 and 390 pixels wide, in light and in dark, and measure it in
the browser: nothing reaches beyond the width but what scrolls by itself, no short word is broken, and all text has a
contrast of at least 4.5 : 1 with what lies behind it."""
import html
import json
import subprocess
import sys

SCRIPT = r"""
const frame = document.getElementById('frame'), faults = [];
const fault = (what, node) => faults.length < 12 && faults.push(what + ': ' + node.textContent.trim().slice(0, 60));
const number = text => { const p = (text.match(/[\d.]+/g) || []).map(Number); return [p[0], p[1], p[2], p.length > 3 ? p[3] : 1]; };
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const light = c => { const f = v => (v /= 255, v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * f(c[0]) + .7152 * f(c[1]) + .0722 * f(c[2]); };
const contrast = (a, b) => { const x = light(a), y = light(b); return (Math.max(x, y) + .05) / (Math.min(x, y) + .05); };
function measure() {
    const doc = frame.contentDocument, view = frame.contentWindow, width = view.innerWidth;
    for (const d of doc.querySelectorAll('details')) d.open = true;
    const style = element => view.getComputedStyle(element);
    const behind = element => { // the colours of all that it lies in
        const layers = [];
        for (let e = element; e; e = e.parentElement) layers.push(number(style(e).backgroundColor));
        return layers.reverse().reduce((below, top) => over(top, below), matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1]);
    };
    const scrolls = element => { for (let e = element; e && e !== doc.body; e = e.parentElement) if (/auto|scroll/.test(style(e).overflowX)) return true; };
    if (doc.documentElement.scrollWidth > width) faults.push('the page is ' + doc.documentElement.scrollWidth + ' pixels wide, of ' + width);
    const walk = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT);
    let texts = 0;
    for (let node; node = walk.nextNode();) {
        const element = node.parentElement, css = style(element), tag = element.tagName.toLowerCase();
        if (!node.textContent.trim() || /^(title|script|style|noscript|option)$/.test(tag) || css.visibility === 'hidden') continue;
        const range = doc.createRange();
        range.selectNodeContents(node);
        const rects = range.getClientRects();
        if (!rects.length) continue;
        texts++;
        const svg = element.closest('svg');
        for (const r of rects) if ((r.right > width + 1 || r.left < -1) && !scrolls(element)) { fault('beyond the page at ' + Math.round(r.right), node); break; }
        let ink = number(svg ? css.fill : css.color), opacity = 1;
        for (let e = element; e; e = e.parentElement) opacity *= Number(style(e).opacity);
        const ground = behind(svg ? svg.parentElement : element);
        ink = over([ink[0], ink[1], ink[2], ink[3] * opacity], ground);
        const c = contrast(ink, ground);
        if (c < 4.5) fault('contrast ' + c.toFixed(2) + ' of <' + tag + ' class="' + (element.getAttribute('class') || '') + '">', node);
        if (svg || element.closest('pre')) continue;
        for (const word of node.textContent.matchAll(/[^\s\/]+/g)) { // a path may end a line behind a slash
            if (word[0].length > 20) continue;
            range.setStart(node, word.index), range.setEnd(node, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1 && !/[-\u00ad\u200b\u2013\u2e80-\uffff]/.test(word[0]))
                fault('a broken word, ' + word[0], node);
        }
    }
    document.getElementById('out').textContent = JSON.stringify({texts, width, faults});
}
frame.onload = () => setTimeout(measure, 1500); // a page may unpack itself
"""


def measure(browser, folder, page, width, dark):
    with open(page, encoding="utf-8") as file:
        content = html.escape(file.read(), quote=True)
    with open(folder + "/measure.html", "w", encoding="utf-8") as file:
        file.write(
            '<!doctype html><meta charset="utf-8"><body style="margin:0"><pre id="out"></pre>'
            '<iframe id="frame" style="border:0;width:%dpx;height:2000px" srcdoc="%s"></iframe><script>%s</script></body>'
            % (width, content, SCRIPT))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + folder + "/profile",
               "--window-size=1300,2000", "--virtual-time-budget=10000"] + (["--blink-settings=preferredColorScheme=0"] if dark else [])
    done = subprocess.run([browser, *options, "--dump-dom", "file://" + folder + "/measure.html"], capture_output=True,
                          timeout=120, check=True)
    text = done.stdout.decode()
    found = text[text.index('<pre id="out">') + len('<pre id="out">'):]
    return json.loads(html.unescape(found[:found.index("</pre>")]) or '{"texts": 0, "width": 0, "faults": ["not measured"]}')


def main(browser, folder, pages):
    bad = 0
    for page in pages:
        for width in 1200, 390:
            for dark in False, True:
                result = measure(browser, folder, page, width, dark)
                if result["width"] != width or result["texts"] < 20:
                    result["faults"].append("%d texts, %d pixels" % (result["texts"], result["width"]))
                for text in result["faults"]:
                    print("%s, %d pixels, %s: %s" % (page, width, "dark" if dark else "light", text))
                bad += len(result["faults"])
    return bad > 0


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
