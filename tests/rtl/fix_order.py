"""FIX 4.4 for the tests of rtl/order: compiles order templates as the host does, and parses what left, written independently.

The parser knows nothing of templates: it follows FIX 4.4 (volume 2: BodyLength 9 first to SOH before 10; CheckSum 10 modulo 256).
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

SOH = b"\x01"
NEW, CANCEL, REPLACE = range(3)
LIMIT, CANCEL_FORM, REPLACE_FORM, MARKET, COMPUTED, COMPUTED_REPLACE = range(6)

TIME = "YYYYMMDD-HH:MM:SS.mmm"
NUMBER_DIGITS = 9
QUANTITY_WIDTH = 8
PRICE_WIDTH = 13
PRICE_DIGITS = 10  # of a computed price


def ones_complement(data: bytes) -> int:
    """Sum of 16-bit words, first byte high (RFC 1071); 0xFFFF stands for 0."""
    padded = data + b"\0" * (len(data) % 2)
    total = sum(int.from_bytes(padded[i : i + 2], "big") for i in range(0, len(padded), 2))
    return total % 0xFFFF or 0xFFFF


def fix_time(moment: datetime) -> str:
    return moment.strftime("%Y%m%d-%H:%M:%S.") + f"{moment.microsecond // 1000:03}"


def bcd(digits: str) -> int:
    return int(digits, 16)


def time_digits(moment: datetime) -> int:
    return bcd("".join(filter(str.isdigit, fix_time(moment))))


# ---- the host's compiler ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """Where the fields of a text are; the tail of every message is the same, counted from its end."""

    side_at: int
    quantity_at: int
    price_at: int
    original_at: int
    time_in_force_at: int | None = None  # None: the text does not have it


@dataclass(frozen=True)
class Template:
    codes: list[int]  # nine bits a byte
    sum: int
    byte_sum: int
    number_at: int
    time_at: int
    check_odd: int
    price_odd: int = 0  # a bit a digit of a computed price, the last digit's lowest


def literal(text: str) -> list[int]:
    return list(text.replace("|", "\x01").encode())


def digit(index: int) -> int:
    return 0x140 | index


NUMBER = [digit(17 + i) for i in range(NUMBER_DIGITS)]
CHECK = [digit(26 + i) for i in range(3)]


def computed_price(decimals: int) -> list[int]:
    """The field of a computed price: zeros, then its ten digits with the point between them."""
    digits = [0x180 | PRICE_DIGITS - 1 - i for i in range(PRICE_DIGITS)]
    field = digits[: PRICE_DIGITS - decimals] + ([ord("."), *digits[PRICE_DIGITS - decimals :]] if decimals else [])
    return literal("0" * (PRICE_WIDTH - len(field))) + field


def time_codes() -> list[int]:
    index = iter(range(17))
    return [digit(next(index)) if c.isalpha() else ord(c) for c in TIME]


def compile_template(
    form: int, symbol: str, length: int, sender: str, target: str, prefix: str, decimals: int = 0, in_force: bool = False
) -> tuple[Template, Layout]:
    """A message of exactly `length` bytes; raises ValueError if that is impossible. The decimals are needed for a computed price.

    `in_force`: TimeInForce is in the text, of all but a cancel.
    """
    head = literal(f"35={'DFGDDG'[form]}|49={sender}|56={target}|34=") + NUMBER + literal("|52=") + time_codes()
    head += literal(f"|11={prefix}") + NUMBER + literal(f"|55={symbol}|")
    if form in (LIMIT, REPLACE_FORM, COMPUTED, COMPUTED_REPLACE):
        head += literal("40=2|")
    if form == MARKET:
        head += literal("40=1|")
    tail = literal("|60=") + time_codes() + literal("|10=") + CHECK + literal("|")
    fields: list[tuple[str, int]] = [("side", 1), ("quantity", QUANTITY_WIDTH), ("price", PRICE_WIDTH), ("original", NUMBER_DIGITS)]
    # From the end: Side and OrderQty are at the same place in every form, Price and OrigClOrdID before them.
    tags = {"side": "|54=", "quantity": "|38=", "price": "44=" if form in (LIMIT, COMPUTED) else "|44=", "original": f"41={prefix}"}
    present = ["price", "original", "original price", "", "price", "original price"][form].split()
    at, positions = length - len(tail), {}
    for name in ("quantity", "side"):
        at -= dict(fields)[name]
        positions[name] = at
        at -= len(tags[name])
    if in_force:
        at -= 1
        positions["time_in_force"] = at
        at -= len("|59=")
    after = at
    positions["price"] = after - PRICE_WIDTH
    positions["original"] = after - PRICE_WIDTH - len("|44=") - NUMBER_DIGITS
    window_at = positions["original"] // 8 * 8
    layout = Layout(*(positions[name] - window_at for name in ("side", "quantity", "price", "original")))
    if in_force:
        layout = replace(layout, time_in_force_at=positions["time_in_force"] - window_at)

    def text(name: str, width: int) -> list[int]:
        k = positions[name] - window_at
        assert k >= 0
        assert k + width <= 64
        return [0x100 | (k + i) for i in range(width)]

    window: list[int] = []
    if "original" in present:
        window += literal(tags["original"]) + text("original", NUMBER_DIGITS)
        if "price" not in present:
            # The space of Price is filled: the same places for every form.
            window += literal("|1=" + "A" * (len("|44=") + PRICE_WIDTH - 3))
    if "price" in present:
        computed = form in (COMPUTED, COMPUTED_REPLACE)
        window += literal(tags["price"]) + (computed_price(decimals) if computed else text("price", PRICE_WIDTH))
    if not present:
        window += literal("1=A")
    if in_force:
        window += literal("|59=") + text("time_in_force", 1) if form != CANCEL_FORM else literal("A" * len("|59=T"))
    window += literal("|54=") + text("side", 1) + literal("|38=") + text("quantity", QUANTITY_WIDTH)
    begin = literal("8=FIX.4.4|9=000|")
    room = length - len(begin) - len(head) - len(window) - len(tail)
    if room < 5:
        raise ValueError(f"{room} bytes left for Text")
    body = head + literal("58=" + "x" * (room - 4) + "|") + window + tail
    body_length = len(body) - len("10=000|")
    message = literal(f"8=FIX.4.4|9={body_length:03}|") + body
    assert len(message) == length
    plain = bytes(0 if code & 0x1C0 == 0x100 else ord("0") if code & 0x100 else code for code in message)
    starts = [i for i, code in enumerate(message) if code == NUMBER[0]]
    times = [i for i, code in enumerate(message) if code == digit(0)]
    assert len(starts) == len(times) == 2
    return (
        Template(
            codes=message,
            sum=ones_complement(plain),
            byte_sum=sum(plain[:-7]) % 256,
            number_at=sum(i % 2 for i in starts),
            time_at=sum(i % 2 for i in times),
            check_odd=(length - 4) % 2,
            price_odd=sum(1 << (code & 15) for at, code in enumerate(message) if code & 0x180 == 0x180 and at % 2),
        ),
        layout,
    )


# ---- the parser --------------------------------------------------------------------------------------


class FixError(Exception):
    pass


def parse(message: bytes) -> dict[int, str]:
    """The fields of one complete message; raises FixError if it is not well formed, in its length and checksum above all."""
    if not message.endswith(SOH):
        raise FixError(f"no SOH at the end: {message!r}")
    fields: list[tuple[int, str]] = []
    for part in message[:-1].split(SOH):
        tag, separator, value = part.partition(b"=")
        if not separator or not tag.isdigit() or not value or tag.startswith(b"0"):
            raise FixError(f"field {part!r} in {message!r}")
        fields.append((int(tag), value.decode("ascii")))
    tags = [tag for tag, _ in fields]
    if tags[:3] != [8, 9, 35] or tags[-1] != 10 or len(set(tags)) != len(tags):
        raise FixError(f"order of tags {tags}")
    begin = message.index(SOH + b"35=") + 1
    end = len(message) - len(b"10=000\x01")
    if int(fields[1][1]) != end - begin:
        raise FixError(f"BodyLength {fields[1][1]}, counted {end - begin}")
    check = sum(message[:end]) % 256
    if fields[-1][1] != f"{check:03}":
        raise FixError(f"CheckSum {fields[-1][1]}, counted {check:03}")
    return dict(fields)


def moment_of(value: str) -> datetime:
    return datetime.strptime(value[:17], "%Y%m%d-%H:%M:%S") + timedelta(milliseconds=int(value[18:21]))
