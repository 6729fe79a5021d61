"""Sections 1 and 2 of docs/commitment.md: values, their bytes, strict reading, sets and numbers."""

import json
import math
import re
import unicodedata

MAX_BYTES, MAX_DEPTH, MAX_LEAF_DEPTH, MAX_INTEGER = 8 * 1024 * 1024, 32, 28, 2**53 - 1
BIDI = {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Refused(Exception):
    """The bytes or the value break a rule."""


class Unassigned(Refused):
    """A code point that this Unicode version does not know."""


# Section 1: values and bytes


def check_string(text):
    for c in text:
        n = ord(c)
        if (n < 0x20 and c not in "\n\t") or 0x7F <= n <= 0x9F or n in BIDI or n == 0xFEFF:
            raise Refused("character U+%04X" % n)
        if 0xD800 <= n <= 0xDFFF or 0xFDD0 <= n <= 0xFDEF or n & 0xFFFE == 0xFFFE:
            raise Refused("code point U+%04X" % n)
    for c in text:
        if unicodedata.category(c) == "Cn":
            raise Unassigned("code point U+%04X" % ord(c))
    if unicodedata.normalize("NFC", text) != text:
        raise Refused("not in normal form C")


def encode(value):
    if value is True or value is False:
        return b"true" if value else b"false"
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise Refused("integer out of range")
        return b"%d" % value
    if isinstance(value, str):
        check_string(value)
        for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
            value = value.replace(plain, escaped)
        return b'"' + value.encode() + b'"'
    if isinstance(value, list):
        return b"[" + b",".join(map(encode, value)) + b"]"
    if isinstance(value, dict):
        for key in value:
            if not KEY.fullmatch(key):
                raise Refused("key")
        return b"{" + b",".join(encode(k) + b":" + encode(value[k]) for k in sorted(value)) + b"}"
    raise Refused("no value")


def depth(value):
    if isinstance(value, (dict, list)):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth, inner), default=0)
    return 0


def read(data):
    def pairs(members):
        names = [name for name, _ in members]
        if len(set(names)) != len(names):
            raise Refused("repeated key")
        return dict(members)

    def no(text):
        raise Refused("number " + text[:20])

    if len(data) > MAX_BYTES:
        raise Refused("too large")
    try:
        text = data.decode("utf-8")
        value = json.loads(text, object_pairs_hook=pairs, parse_float=no, parse_constant=no)
    except (ValueError, RecursionError) as error:
        raise Refused("no JSON") from error
    if depth(value) > MAX_DEPTH:
        raise Refused("too deep")
    if encode(value) != data:
        raise Refused("not canonical")
    return value


def is_text(value):
    return isinstance(value, str)


def is_int(low, high):
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_set(value):
    encoded = [encode(item) for item in value]
    return all(a < b for a, b in zip(encoded, encoded[1:]))


# Section 2: numbers that are not integers


def is_number(value):
    if not isinstance(value, str) or len(value) > 2000:
        return False
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", value):
        return value != "-0"
    match = re.fullmatch(r"-?([1-9][0-9]*)/([1-9][0-9]*)", value)
    if not match:
        return False
    above, below = (int(digits) for digits in match.groups())
    rest = below
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest > 1 and math.gcd(above, below) == 1
