"""Read a TensorBoard event file with nothing but this file: print one line "step tag value" a scalar, "step tag histogram
low high n sum squares: counts" a histogram, and "setting NAME = VALUE" and "measure TAG" of the settings.

Written from the format's description alone, to check the writer in io/record/events.c against another reader."""
import struct
import sys

TABLE = []
for n in range(256):
    for _ in range(8):
        n = (n >> 1) ^ (0x82F63B78 if n & 1 else 0)
    TABLE.append(n)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a field is cut short"
        yield key >> 3, value


def records(data):
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        size = struct.unpack("<Q", head)[0]
        assert struct.unpack("<I", data[at + 8:at + 12])[0] == masked_crc(head), "CRC of a length"
        body = data[at + 12:at + 12 + size]
        assert struct.unpack("<I", data[at + 12 + size:at + 16 + size])[0] == masked_crc(body), "CRC of a record"
        at += 16 + size
        yield body


def doubles(data):
    return [x for (x,) in struct.iter_unpack("<d", data)]


def histogram(step, tag, h):
    low, high, n, total, squares = (doubles(h[i])[0] for i in range(1, 6))
    limit, count = doubles(h[6]), doubles(h[7])
    assert len(limit) == len(count) and limit == sorted(limit) and limit[-1] == high and sum(count) == n, (tag, n, count)
    print(step, tag, "histogram %.9g %.9g %g %.9g %.9g:" % (low, high, n, total, squares), *("%g" % c for c in count))


def settings(tag, v):
    plugin = dict(fields(dict(fields(v[9]))[1]))
    assert plugin[1] == b"hparams" and dict(fields(v[8]))[1] == 1, v
    content = dict(fields(plugin[2]))
    if tag.endswith("experiment"):
        for field, part in fields(content[2]):
            part = dict(fields(part))
            print("known", part[1].decode(), part[4]) if field == 4 else print("measure", dict(fields(part[1]))[2].decode())
        return
    for field, part in fields(content[3]):
        if field != 1:
            continue
        part = dict(fields(part))
        (kind, value), = fields(part[2])
        print("setting", part[1].decode(), "=", doubles(value)[0] if kind == 2 else value.decode() if kind == 3 else bool(value))


with open(sys.argv[1], "rb") as file:
    for number, body in enumerate(records(file.read())):
        event = {}
        values = []
        for field, value in fields(body):
            if field == 5:
                values += [dict(fields(v)) for f, v in fields(value) if f == 1]
            else:
                event[field] = value
        if number == 0:
            assert event[3] == b"brain.Event:2", event
        for v in values:
            tag = v[1].decode()
            if 2 in v:
                print(event[2], tag, "%.9g" % struct.unpack("<f", v[2])[0])
            elif 5 in v:
                histogram(event[2], tag, dict(fields(v[5])))
            elif tag.startswith("_hparams_/"):
                settings(tag, v)
