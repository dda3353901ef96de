"""Files that h5py writes and Mneme must refuse. Writes them into argv[1] and prints NAME<TAB>what is said of it."""
import os
import sys

import h5py
import numpy as np

folder = sys.argv[1]
NEW = {"libver": ("v110", "v110")}


def write(name, message, make, **options):
    with h5py.File(os.path.join(folder, name), "w", **{**NEW, **options}) as f:
        make(f)
    print(name + "\t" + message.replace("SIZE", str(os.path.getsize(os.path.join(folder, name)))))


def good(f, name="a", data=(1, 2, 3), dtype="<i4", **options):
    return f.create_dataset(name, data=np.array(data, dtype), **{"chunks": True, "fletcher32": True, **options})


write("good.h5", "", lambda f: (good(f), good(f, "g/b", dtype="<f4"), good(f, "g/empty", data=())))
write("old.h5", "HDF5 superblock of version 0, which has no checksums; expected 2 or 3 "
      '(h5py: libver=("v110", "v110"))', good, libver="earliest")
write("contiguous.h5", "/a: found a contiguous layout, expected chunks with fletcher32",
      lambda f: f.create_dataset("a", data=np.arange(3, dtype="<i4")))
write("unchecked.h5", "/a: found no checksums, expected filter fletcher32", lambda f: good(f, fletcher32=False))
write("gzip.h5", "/a: found filter 1 (deflate), expected fletcher32 alone", lambda f: good(f, compression="gzip"))
write("bomb.h5", "/a: declares more values than the SIZE bytes of the file can hold",
      lambda f: (f.create_dataset("a", shape=(2**40,), dtype="<i4", chunks=(65536,), fletcher32=True),
                 f.create_dataset("pad", data=np.zeros(1, "<i4"), chunks=True, fletcher32=True)))
write("unstored.h5", "/a: declares 40 bytes, but 0 are stored",
      lambda f: f.create_dataset("a", shape=(10,), dtype="<i4", chunks=(10,), fletcher32=True))
write("big_endian.h5", "/a: found big-endian int32, expected int32, int64, float32, float64 or uint8, little-endian",
      lambda f: good(f, dtype=">i4"))
write("int16.h5", "/a: found int16, expected int32, int64, float32, float64 or uint8, little-endian",
      lambda f: good(f, dtype="<i2"))
write("compound.h5", "/a: found a compound, expected int32, int64, float32, float64 or uint8, little-endian",
      lambda f: good(f, data=[(1, 2.0)], dtype=[("x", "<i4"), ("y", "<f4")]))
write("variable.h5", "/a: found values of variable length, expected int32, int64, float32, float64 or uint8, little-endian",
      lambda f: f.create_dataset("a", data=["x", "y"], dtype=h5py.string_dtype(), chunks=True))
write("scalar.h5", "/a: found a single value or nothing, expected an array", lambda f: f.create_dataset("a", data=np.int32(5)))
write("attribute.h5", "/: attribute note: found variable length, expected fixed length",
      lambda f: f.attrs.update(note="a plain str"))
write("five_axes.h5", "/a: found 5 axes, expected 1 to 4", lambda f: good(f, data=np.zeros((1, 1, 1, 1, 1))))
write("type.h5", "/t: neither a group nor a dataset", lambda f: f.__setitem__("t", np.dtype("<i4")))


def soft(f):
    f["a"] = h5py.SoftLink("/etc/passwd")


def external(f):
    f["g/a"] = h5py.ExternalLink("good.h5", "/a")


def often(f):  # 10 links to each of 12 groups in each other: 10^12 ways
    for i in range(11, -1, -1):
        inner = f.create_group(f"level{i}")
        for k in range(10):
            if i < 11:
                inner[f"l{k}"] = f[f"level{i + 1}"]
    good(f)
    for i in range(1, 12):
        del f[f"level{i}"]


def circle(f):
    f.create_group("g")["again"] = f["/"]


def storage(f):
    space = h5py.h5s.create_simple((10,))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_external(b"/etc/passwd", 0, 40)
    h5py.h5d.create(f.id, b"a", h5py.h5t.STD_I32LE, space, plist)


def virtual(f):
    layout = h5py.VirtualLayout(shape=(3,), dtype="<i4")
    layout[:] = h5py.VirtualSource(os.path.join(folder, "good.h5"), "a", shape=(3,))
    f.create_virtual_dataset("a", layout)
    good(f, "z")


write("soft.h5", "/a: found a soft link, expected a group or a dataset of this file", soft)
write("external.h5", "/g/a: found an external link, expected a group or a dataset of this file", external)
write("often.h5", "/level0" + 10 * "/l5" + "/l7: an object that has another name already", often)
write("twice.h5", "/b: an object that has another name already", lambda f: (good(f), f.__setitem__("b", f["a"])))
write("circle.h5", "/g/again/g/again/g/again/g/again/g/again/g/again/g/again/g/again: groups more than 16 deep", circle)
write("storage.h5", "/a: its values lie in another file", storage)
write("virtual.h5", "/a: a virtual dataset, which reads other files", virtual)
