"""Each argument is a page whose tags must be balanced and nested, whose attributes must be quoted and not repeated."""
import html.parser
import sys

VOID = {"meta", "br", "hr", "img", "input", "link"}
SELF_CLOSING = {"use", "line", "circle", "polyline", "polygon", "path", "rect"}


class Check(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=False)
        self.path, self.open, self.tags = path, [], 0

    def fail(self, text):
        sys.exit("%s:%d:%d: %s" % (self.path, *self.getpos(), text))

    def handle_starttag(self, tag, attrs):
        self.tags += 1
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.fail("an attribute of <%s> is given twice" % tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        if tag not in SELF_CLOSING:
            self.fail("<%s/> may not close itself" % tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fail("</%s> closes %s" % (tag, self.open[-1:] or "nothing"))
        self.open.pop()

    def handle_entityref(self, name):
        if name not in ("amp", "lt", "gt", "quot"):
            self.fail("&%s;" % name)

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["script"]) and ("<" in data or "&" in data):
            self.fail("not escaped: %r" % data[:40])


for path in sys.argv[1:]:
    check = Check(path)
    with open(path, encoding="utf-8") as file:
        check.feed(file.read())
    check.close()
    if check.open:
        check.fail("never closed: %s" % check.open)
    if check.tags < 50:
        check.fail("only %d tags" % check.tags)
