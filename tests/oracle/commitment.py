"""Second implementation of docs/commitment.md, written from that text with the Python standard library alone.
Sections 1 and 2 are in values.py, section 5 in leaves.py.

    commitment.py canon FILE                  is the document canonical? its SHA-256
    commitment.py digest FILE                 recomputed leaf digests, spec digest and freeze id
    commitment.py verify FILE [--inputs DIR]  level A0; with --values, section 5 is left out: leaves may hold any value
    commitment.py batch                       one JSON request per line on stdin, one JSON answer per line

Every answer is one line of JSON. The exit code is 0 if the file was accepted, 1 if it failed, 3 if inconclusive.
"""

import hashlib
import json
import os
import re
import stat
import sys

from leaves import check_leaf
from values import (
    MAX_BYTES,
    MAX_INTEGER,
    MAX_LEAF_DEPTH,
    KEY,
    Refused,
    Unassigned,
    depth,
    encode,
    is_int,
    is_set,
    is_text,
    read,
)

MAX_LEAVES, MAX_INPUT = 4096, 256 * 1024 * 1024
PATH = re.compile(r"[a-z][a-z0-9_]{0,63}(/[A-Za-z][A-Za-z0-9_]{0,63})?")
HEX64 = re.compile(r"[0-9a-f]{64}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
LANG = re.compile(r"prespec-lang/[1-9][0-9]{0,3}")
TIME = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z")


# Section 4: digests


def sha(data):
    return hashlib.sha256(data).hexdigest()


def pae(kind, *parts):
    return kind.encode() + b"".join(b" %d " % len(part) + part for part in parts)


def leaf_digest(path, salt, value):
    return sha(pae("prespec-leaf/1", path.encode(), salt.encode(), encode(value)))


def spec_digest(lang, manifest):
    return "sha256:" + sha(pae("prespec-spec/1", b"prespec-canon/1", lang.encode(), encode(manifest)))


def seed(freeze, entropy, cell, replicate):
    return sha(pae("prespec-seed/1", freeze.encode(), entropy.encode(), cell.encode(), b"%d" % replicate))


# Sections 6 and 7: the frozen file


class Check:
    """Collects findings; each test is one line that names its code."""

    def __init__(self):
        self.codes = set()
        self.inconclusive = set()

    def need(self, ok, code="PR106"):
        if not ok:
            self.codes.add(code)
        return ok

    def shape(self, value, required, optional=()):
        """Whether an object has exactly these members, all of the right type."""
        if not self.need(isinstance(value, dict)):
            return False
        self.need(set(value) <= set(required) | set(optional), "PR105")
        good = True
        for name, test in list(required.items()) + [(k, v) for k, v in dict(optional).items() if k in value]:
            good &= self.need(name in value and test(value[name]))
        return good


def is_name(value):
    return isinstance(value, str) and value.strip() != ""


def matches(pattern):
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def one_of(*words):
    return lambda value: isinstance(value, str) and value in words


def is_time(value):
    match = TIME.fullmatch(value) if isinstance(value, str) else None
    if not match:
        return False
    year, month, day, hour, minute, second = map(int, match.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1 <= month <= 12 and 1 <= day <= days[month - 1] and hour < 24 and minute < 60 and second < 60


def folded(path):
    return "".join(c.lower() for c in "".join(c.upper() for c in path))


def is_path(value):
    if not isinstance(value, str) or not 1 <= len(value.encode()) <= 512 or re.search(r"[\\:\t\n]", value):
        return False
    parts = value.split("/")
    return all(part not in ("", ".", "..") and part[-1] not in ". " for part in parts)


def clash(paths):
    folds = [folded(path) for path in sorted(set(paths))]
    known = set(folds)
    heads = {"/".join(fold.split("/")[:n]) for fold in folds for n in range(1, fold.count("/") + 1)}
    return len(known) != len(folds) or bool(heads & known)


def references(value):
    """Every object with the key sha256, at any depth."""
    if isinstance(value, dict):
        if "sha256" in value:
            return [value]
        return [found for inner in value.values() for found in references(inner)]
    if isinstance(value, list):
        return [found for inner in value for found in references(inner)]
    return []


def read_manifest(check, rows):
    if not check.need(isinstance(rows, list) and 1 <= len(rows) <= MAX_LEAVES):
        return None
    for row in rows:
        good = isinstance(row, list) and len(row) == 3 and matches(PATH)(row[0])
        if not check.need(good and one_of("open", "sealed")(row[1]) and matches(HEX64)(row[2])):
            return None
    paths = [row[0].encode() for row in rows]
    return rows if check.need(all(a < b for a, b in zip(paths, paths[1:]))) else None


def read_open(check, rows):
    if not check.need(isinstance(rows, list)):
        return None
    for row in rows:
        good = isinstance(row, list) and len(row) == 2 and matches(PATH)(row[0])
        if not check.need(good and depth(row[1]) <= MAX_LEAF_DEPTH):
            return None
    paths = [row[0].encode() for row in rows]
    return dict(map(tuple, rows)) if check.need(all(a < b for a, b in zip(paths, paths[1:]))) else None


def read_frozen(check, data, name):
    """The object of a frozen file; what is wrong goes to check."""
    freeze = sha(data)
    seq = None

    def check_name():
        number = "%04d" % seq if seq is not None else (name[:4] if re.match("[0-9]{4}", name) else "0000")
        check.need(name == "%s-%s.freeze.json" % (number, freeze[:16]), "PR104")

    try:
        if len(data) > MAX_BYTES:
            check.need(False, "PR113")
            raise Refused("too large")
        if not check.need(data.endswith(b"\n"), "PR101"):
            raise Refused("no line feed")
        value = read(data[:-1])
    except Unassigned:
        check.inconclusive.add("PR002")
        return check_name()
    except Refused:
        check.need(check.codes == {"PR113"}, "PR101")
        return check_name()
    if not check.need(isinstance(value, dict)):
        return check_name()
    known = True
    for key, version in (("format", "prespec-freeze/1"), ("canon", "prespec-canon/1")):
        if check.need(is_text(value.get(key))) and value[key] != version:
            check.inconclusive.add("PR002")
        known &= value.get(key) == version
    if not known:
        return check_name()

    def each(items, required, unique=False):
        if not check.need(isinstance(items, list)):
            return False
        good = all([check.shape(item, required) for item in items])
        return check.need(not unique or is_set(items)) and good

    def sub(required, optional=()):
        return lambda item: check.shape(item, required, optional)

    def run_log(item):
        good = check.shape(item, {"count": is_int(0, 2**32 - 1)}, {"head": matches(DIGEST)})
        return good and check.need(("head" in item) == (item["count"] > 0))

    def git(item):
        good = check.shape(item, {"parent": is_text, "object_format": one_of("sha1", "sha256")})
        length = good and {"sha1": 40, "sha256": 64}[item["object_format"]]
        return good and check.need(re.fullmatch("[0-9a-f]{%d}" % length, item["parent"]) is not None)

    def changes(items):
        paths = [item["path"].encode() for item in items] if each(items, change) else []
        return check.need(all(a < b for a, b in zip(paths, paths[1:])))

    source = {"path": is_path, "text": is_text}
    change = {"path": matches(PATH), "change": one_of("added", "removed", "changed")}
    warning = {"code": is_name, "text": is_name}
    holder = {}

    def keep(key, reader):
        def test(item):
            holder[key] = reader(check, item)
            return holder[key] is not None

        return test

    good = check.shape(
        value,
        {
            "format": is_text,
            "canon": is_text,
            "lang": matches(LANG),
            "study": matches(KEY),
            "seq": is_int(0, 9999),
            "kind": one_of("registration", "amendment", "amendment-after-run", "deviation"),
            "spec_digest": matches(DIGEST),
            "manifest": keep("manifest", read_manifest),
            "open": keep("open", read_open),
            "sources": lambda items: each(items, source),
            "claimed_time": is_time,
            "access": sub({"level": one_of("none", "runs", "results")}, {"note": is_text}),
            "runlog": run_log,
            "tool": sub({"name": is_name, "version": is_name}),
            "authors": lambda items: isinstance(items, list) and all(map(is_name, items)),
            "warnings": lambda items: each(items, warning, True),
            "waivers": lambda items: each(items, dict(warning, reason=is_name), True),
        },
        {
            "prev": matches(DIGEST),
            "changes": changes,
            "reason": is_name,
            "git": git,
        },
    )
    if is_int(0, 9999)(value.get("seq")):
        seq = value["seq"]
    manifest, opened = holder.get("manifest"), holder.get("open")
    if manifest is not None and opened is not None:
        check.need({row[0] for row in manifest if row[1] == "open"} == set(opened), "PR102")
        for path, state, digest in manifest:
            if state == "open" and path in opened:
                check.need(leaf_digest(path, "", opened[path]) == digest, "PR102")
    if manifest is not None and matches(LANG)(value.get("lang")) and matches(DIGEST)(value.get("spec_digest")):
        check.need(spec_digest(value["lang"], manifest) == value["spec_digest"], "PR103")
    if good and not check.codes & {"PR105", "PR106"}:
        together(check, value, manifest, opened)
    return check_name() or value


def together(check, value, manifest, opened):
    later = value["seq"] > 0
    for key in ("prev", "changes", "reason"):
        check.need((key in value) == later)
    log, level = value["runlog"], value["access"]["level"]
    if not later:
        kind = "registration"
    elif level == "results":
        kind = "deviation"
    else:
        kind = "amendment-after-run" if level == "runs" or log["count"] else "amendment"
    check.need(value["kind"] == kind)
    check.need(level != "none" or log["count"] == 0, "PR602")
    paths = [source["path"] for source in value["sources"]]
    check.need(any(row[1] == "sealed" for row in manifest) == (not paths))
    check.need(len(set(paths)) == len(paths) and not clash(paths))
    found, size = {}, is_int(0, MAX_INTEGER)
    for leaf in opened.values():
        for item in references(leaf):
            good = set(item) == {"bytes", "path", "sha256"} and size(item["bytes"]) and is_text(item["path"])
            if check.need(good and matches(HEX64)(item["sha256"])) and check.need(is_path(item["path"]), "PR112"):
                check.need(found.setdefault(item["path"], item) == item)
    check.need(not clash(found), "PR112")


def check_input(check, root, item):
    at, parts = root, item["path"].split("/")
    for n, part in enumerate(parts):
        try:
            names = os.listdir(at)
            at = os.path.join(at, part)
            kind = os.lstat(at).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return check.need(False, "PR112")
        others = [name for name in names if name != part and folded(name) == folded(part)]
        wanted = stat.S_ISREG(kind) if n == len(parts) - 1 else stat.S_ISDIR(kind)
        if not check.need(part in names and not others and wanted, "PR112"):
            return None
    with open(at, "rb") as file:
        data = file.read(MAX_INPUT + 1)
    if check.need(len(data) <= MAX_INPUT, "PR113"):
        check.need(len(data) == item["bytes"] and sha(data) == item["sha256"], "PR111")
    return None


def check_chain(check, value, folder):
    levels = ["none", "runs", "results"]
    while value["seq"] > 0:
        name = "%04d-%s.freeze.json" % (value["seq"] - 1, value["prev"][7:23])
        try:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError:
            check.inconclusive.add("PR601")
            return
        inner = Check()
        earlier = read_frozen(inner, data, name)
        check.codes |= inner.codes
        check.inconclusive |= inner.inconclusive
        if not check.need(earlier and not inner.codes and not inner.inconclusive, "PR601"):
            return
        before = {row[0]: row[1:] for row in earlier["manifest"]}
        after = {row[0]: row[1:] for row in value["manifest"]}
        changes = []
        for path in sorted(set(before) | set(after)):
            if before.get(path) != after.get(path):
                word = "added" if path not in before else "removed" if path not in after else "changed"
                changes.append({"path": path, "change": word})
        check.need(value["prev"] == "sha256:" + sha(data) and earlier["seq"] == value["seq"] - 1, "PR601")
        check.need(value["study"] == earlier["study"] and value["changes"] == changes, "PR601")
        check.need(value["runlog"]["count"] >= earlier["runlog"]["count"], "PR601")
        stated, floor = (levels.index(f["access"]["level"]) for f in (value, earlier))
        check.need(stated >= floor, "PR601")
        value = earlier


def check_leaves(check, value):
    """The leaves of a frozen file whose digests agree."""
    if any(row[1] == "sealed" for row in value["manifest"]):
        return
    check.need({"study", "semantics"} <= {row[0] for row in value["manifest"]}, "PR105")
    for path, leaf in value["open"]:
        try:
            check_leaf(path, leaf)
        except Refused:
            check.need(False, "PR105")


def answer(check, **more):
    verdict = "failed" if check.codes else "inconclusive" if check.inconclusive else "verified"
    return {"verdict": verdict, "codes": sorted(check.codes | check.inconclusive), **more}


def canon(data):
    try:
        read(data)
    except Unassigned as error:
        return {"verdict": "inconclusive", "why": str(error)}
    except Refused as error:
        return {"verdict": "failed", "why": str(error)}
    return {"verdict": "verified", "sha256": sha(data)}


def verify(data, name, folder=None, inputs=None, leaves=True):
    check = Check()
    value = read_frozen(check, data, name)
    if value is not None and not check.codes and not check.inconclusive:
        if leaves:
            check_leaves(check, value)
        if inputs is not None:
            for item in {i["path"]: i for _, leaf in value["open"] for i in references(leaf)}.values():
                check_input(check, inputs, item)
        if folder is not None:
            check_chain(check, value, folder)
    return answer(check, freeze_id="sha256:" + sha(data))


def digest(data):
    check = Check()
    value = read_frozen(check, data, "0000-%s.freeze.json" % sha(data)[:16])
    if value is None:
        return answer(check, freeze_id="sha256:" + sha(data))
    leaves = {path: leaf_digest(path, "", leaf) for path, leaf in value["open"]}
    return {
        "verdict": "verified",
        "freeze_id": "sha256:" + sha(data),
        "spec_digest": spec_digest(value["lang"], value["manifest"]),
        "leaves": leaves,
    }


def request(line):
    """One request of a batch: {"op": …, "hex": bytes of the document, …}."""
    ask = json.loads(line)
    data = bytes.fromhex(ask.get("hex", ""))
    if ask["op"] == "canon":
        return canon(data)
    if ask["op"] == "verify":
        return verify(data, ask["name"], leaves=ask.get("leaves", False))
    if ask["op"] == "structure":
        try:
            check_leaf(ask["path"], read(data))
        except Refused as error:
            return {"verdict": "failed", "why": str(error)}
        return {"verdict": "verified"}
    if ask["op"] == "leaf":
        return {"digest": leaf_digest(ask["path"], ask["salt"], read(data))}
    if ask["op"] == "spec":
        return {"digest": spec_digest(ask["lang"], read(data))}
    if ask["op"] == "seed":
        return {"digest": seed(ask["freeze"], ask["entropy"], ask["cell"], ask["replicate"])}
    raise SystemExit("unknown request " + ask["op"])


def main(arguments):
    if arguments == ["batch"]:
        for line in sys.stdin:
            print(json.dumps(request(line)))
        return 0
    inputs, leaves = None, "--values" not in arguments
    arguments = [argument for argument in arguments if argument != "--values"]
    if len(arguments) == 4 and arguments[0] == "verify" and arguments[2] == "--inputs":
        inputs = arguments.pop()
        arguments.pop()
    if len(arguments) != 2 or arguments[0] not in ("canon", "digest", "verify"):
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[1], "rb") as file:
        data = file.read(MAX_BYTES + 1)
    folder, name = os.path.split(arguments[1])
    if arguments[0] == "canon":
        result = canon(data)
    elif arguments[0] == "digest":
        result = digest(data)
    else:
        result = verify(data, name, folder or ".", inputs, leaves)
    print(json.dumps(result, sort_keys=True))
    return {"verified": 0, "failed": 1, "inconclusive": 3}[result["verdict"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
