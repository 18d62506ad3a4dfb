"""Draw static/fonts/symbols.woff2: marks of states and actions, as high as letters.

Needs: pip install fonttools brotli shapely. Run it as: python research/make_symbols.py
"""

from math import cos, pi, sin

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from shapely.affinity import rotate, scale, translate
from shapely.geometry import LineString, Point, Polygon, box
from shapely.ops import unary_union

STROKE = 2.5  # on a grid of 24 × 24, y down
UNIT = 880 / 24  # font units per grid unit; 1000 units per em
ADVANCE = 940
MIDDLE = 330  # half the height of the capitals


def line(*points, width=STROKE):
    return LineString(points).buffer(width / 2, cap_style="round", join_style="round", quad_segs=4)


def arc(radius, start, end, centre=(12, 12), width=STROKE):
    steps = [start + (end - start) * i / 24 for i in range(25)]
    return line(
        *[
            (centre[0] + radius * cos(a * pi / 180), centre[1] + radius * sin(a * pi / 180))
            for a in steps
        ],
        width=width,
    )


def disc(radius, centre=(12, 12)):
    return Point(centre).buffer(radius, quad_segs=9)


def solid(*points, round_by=0.8):
    return Polygon(points).buffer(-round_by).buffer(round_by, quad_segs=3)


def hollow(*points, width=STROKE):
    outer = solid(*points)
    return outer.difference(Polygon(points).buffer(-width, join_style="mitre"))


def either(*shapes):
    return unary_union(shapes)


def small(shape):
    return scale(shape, 0.8, 0.8, origin=(12, 12))


RING = disc(8.5).difference(disc(8.5 - STROKE))
UP = ((12, 3.2), (21.6, 19.8), (2.4, 19.8))
DOWN = ((12, 20.8), (21.6, 4.2), (2.4, 4.2))
DIAMOND = ((12, 2), (22, 12), (12, 22), (2, 12))
SQUARE = ((4, 4), (20, 4), (20, 20), (4, 20))
RIGHT_ARROW = either(line((4, 12), (20, 12)), line((13.5, 5.5), (20, 12), (13.5, 18.5)))
EQUAL = either(line((4, 8.8), (20, 8.8)), line((4, 15.2), (20, 15.2)))
WAVE = line(*[(4 + i * 16 / 20, 12 - 2.1 * sin(i / 20 * 2 * pi)) for i in range(21)])
GREATER = line((5, 3.5), (19, 9.5), (5, 15.5))

SYMBOLS = {
    "✓": line((4, 12.8), (9.4, 18.2), (20, 6.2), width=2.8),
    "✕": either(
        line((5.5, 5.5), (18.5, 18.5), width=2.8), line((18.5, 5.5), (5.5, 18.5), width=2.8)
    ),
    "○": RING,
    "●": disc(8.5),
    "◐": either(RING, disc(8).intersection(box(0, 0, 12, 24))),
    "◌": either(*[arc(7.25, a, a + 22) for a in range(-11, 349, 60)]),
    "⊘": either(RING, line((6.5, 17.5), (17.5, 6.5))),
    "▲": solid(*UP),
    "△": hollow(*UP, width=2.2),
    "▼": solid(*DOWN),
    "▽": hollow(*DOWN, width=2.2),
    "◆": solid(*DIAMOND),
    "◇": hollow(*DIAMOND),
    "■": solid(*SQUARE),
    "□": hollow(*SQUARE),
    "▸": solid((8, 5), (18, 12), (8, 19)),
    "▾": solid((5, 8.5), (19, 8.5), (12, 17.5)),
    "▴": solid((5, 16.5), (19, 16.5), (12, 7.5)),
    "→": RIGHT_ARROW,
    "←": rotate(RIGHT_ARROW, 180, (12, 12)),
    "↑": rotate(RIGHT_ARROW, -90, (12, 12)),
    "↓": rotate(RIGHT_ARROW, 90, (12, 12)),
    "↗": either(line((6.5, 17.5), (17.5, 6.5)), line((8.5, 6.5), (17.5, 6.5), (17.5, 15.5))),
    "↻": either(arc(7.8, 5, 322), line((19.8, 2.6), (19.8, 8), (14.4, 8))),
    "⏸": either(
        line((8.3, 5.5), (8.3, 18.5), width=3.6), line((15.7, 5.5), (15.7, 18.5), width=3.6)
    ),
    "⚠": either(
        hollow((12, 1.8), (23, 21.2), (1, 21.2), width=2.3),
        line((12, 9), (12, 13.6), width=2.3),
        disc(1.45, (12, 17.1)),
    ),
    "✎": either(
        solid((3, 21), (4.4, 15.7), (8.3, 19.6), round_by=0.2),
        solid((5.9, 14.2), (16.1, 4), (20, 7.9), (9.8, 18.1), round_by=0.4),
    ),
    "☰": either(line((4, 6), (20, 6)), line((4, 12), (20, 12)), line((4, 18), (20, 18))),
    "⋯": either(disc(1.9, (4.6, 12)), disc(1.9, (12, 12)), disc(1.9, (19.4, 12))),
    "⌕": either(
        disc(6.8, (10.3, 10.3)).difference(disc(6.8 - STROKE, (10.3, 10.3))),
        line((15, 15), (20.4, 20.4)),
    ),
    "⧉": either(
        hollow((8.5, 8.5), (21, 8.5), (21, 21), (8.5, 21), width=2.2),
        line((5.6, 15.2), (4.1, 15.2), (4.1, 4.1), (15.2, 4.1), (15.2, 5.6), width=2.2),
    ),
    "⤓": either(
        line((12, 3.5), (12, 15.5)),
        line((6.5, 10.2), (12, 15.7), (17.5, 10.2)),
        line((4.5, 20.3), (19.5, 20.3)),
    ),
    "⇄": either(
        line((4, 8), (20, 8)),
        line((15.8, 3.8), (20, 8), (15.8, 12.2)),
        line((20, 16.5), (4, 16.5)),
        line((8.2, 12.3), (4, 16.5), (8.2, 20.7)),
    ),
    "⚑": either(
        line((5.5, 3.5), (5.5, 21)),
        solid((5.5, 3.6), (19.8, 3.6), (16.4, 8.6), (19.8, 13.6), (5.5, 13.6)),
    ),
    "≈": small(either(translate(WAVE, 0, -3.2), translate(WAVE, 0, 3.2))),
    "≠": small(either(EQUAL, line((8.2, 18.8), (15.8, 5.2)))),
    "≥": small(either(GREATER, line((5, 20), (19, 20)))),
    "≤": small(either(scale(GREATER, -1, 1, origin=(12, 12)), line((5, 20), (19, 20)))),
}


def outline(shape):
    pen = TTGlyphPen(None)
    shape = shape.simplify(0.02)
    for polygon in getattr(shape, "geoms", [shape]):
        for ring, clockwise in [
            (polygon.exterior, True),
            *[(hole, False) for hole in polygon.interiors],
        ]:
            # y is turned over below, and that turns the ring over as well
            points = list(ring.coords)[:-1]
            if ring.is_ccw != clockwise:
                points.reverse()
            placed = [
                (round((ADVANCE - 24 * UNIT) / 2 + x * UNIT), round(MIDDLE + (12 - y) * UNIT))
                for x, y in points
            ]
            pen.moveTo(placed[0])
            for point in placed[1:]:
                pen.lineTo(point)
            pen.closePath()
    return pen.glyph()


def main():
    names = {ord(symbol): f"u{ord(symbol):04X}" for symbol in SYMBOLS}
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap(names)
    empty = TTGlyphPen(None).glyph()
    glyphs = {
        ".notdef": empty,
        **{names[ord(symbol)]: outline(shape) for symbol, shape in SYMBOLS.items()},
    }
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(
        {name: (ADVANCE, getattr(glyph, "xMin", 0)) for name, glyph in glyphs.items()}
    )
    builder.setupHorizontalHeader(ascent=1024, descent=-400)
    builder.setupNameTable(
        {
            "familyName": "Rarr Symbols",
            "styleName": "Regular",
            "licenseDescription": "SIL Open Font License 1.1",
        }
    )
    builder.setupOS2(sTypoAscender=750, sTypoDescender=-250, usWinAscent=1024, usWinDescent=400)
    builder.setupPost(keepGlyphNames=False)
    builder.font.flavor = "woff2"
    builder.save("static/fonts/symbols.woff2")


if __name__ == "__main__":
    main()
