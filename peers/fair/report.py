"""What peers/fair/measure prints and draws."""

import math
import statistics

PARTS = ["embedded", "five", "dear", "batches", "other"]


def merged(rounds):
    """The rounds of one case as one: of each figure the middle one, and all that were refused."""
    result = dict(rounds[0])
    for name in ("busy", "capacity", "others", "share", "used"):
        result[name] = middle([one.get(name) for one in rounds])
    for who in ("well_behaved", "runaway"):
        result[who] = {name: middle([one[who][name] for one in rounds]) for name in ("p50_ms", "p99_ms", "calls_per_second")}
        result[who] |= {name: sum(one[who][name] for one in rounds) for name in ("calls", "refused", "failed")}
    return result


def middle(figures):
    return None if None in figures else statistics.median(figures)


def baseline(result, results):
    """The same without a runaway, in front of the same origin."""
    place = "other" if result["part"] == "other" else "embedded"
    return next((one for one in results if one["part"] == place and one["mark"] == "a"), None)


def row(result, results):
    owners, runaway, alone = result["well_behaved"], result["runaway"], baseline(result, results)
    ratio = f"{owners['p99_ms'] / alone['well_behaved']['p99_ms']:.2f}" if alone and result["mark"] != "a" else "–"
    cells = [f"({result['mark']}) {result['title']}", f"{owners['p50_ms']:.1f}", f"{owners['p99_ms']:.1f}", ratio]
    cells += [f"{owners['refused'] + owners['failed']} of {sum(owners[name] for name in ('refused', 'failed', 'calls'))}"]
    busy = "–" if result["busy"] is None else f"{result['busy'] * 100:.0f} %"
    if result["runaways"]:
        cells += [f"{runaway['calls_per_second']:.1f}", f"{result['share'] * 100:.0f} %", str(runaway["refused"])]
    else:
        cells += ["–"] * 3
    cells.append(busy)
    return "| " + " | ".join(cells) + " |"


def table(results):
    lines = [
        "| | median, ms | p99, ms | ÷ (a) | refused | runaway: calls/s | of what is left | refused | thread busy |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for part in PARTS:
        of_part = [result for result in results if result["part"] == part]
        if of_part:
            lines.append(f"| **{heading(part, of_part[0])}** | | | | | | | | |")
            lines += [row(result, results) for result in of_part]
    return "\n".join(lines)


def heading(part, result):
    used = f"{result['capacity']:.0f} calls/s, {result['used'] * 100:.0f} % used"
    return {
        "embedded": f"embedded origin, one runaway ({used})",
        "five": "five runaways",
        "dear": "a runaway whose searches are ten times dearer",
        "batches": "a runaway who reads batches, ten times dearer",
        "other": f"another origin, one runaway ({used})",
    }[part]


def draw(results):
    """Median and 99th percentile of each case on a logarithmic scale, and beside them what the runaway gets."""
    left, width, bars, line = 250, 300, 600, 20
    most = max(result["well_behaved"]["p99_ms"] for result in results)
    least = min(result["well_behaved"]["p50_ms"] for result in results)
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))

    def x(value):
        return left + width * (math.log10(max(value, 10**low)) - low) / (high - low)

    svg, y = [], 50
    for part in PARTS:
        of_part = [result for result in results if result["part"] == part]
        if not of_part:
            continue
        svg.append(f'<text x="10" y="{y}" font-weight="bold">{heading(part, of_part[0])}</text>')
        for result in of_part:
            y += line
            p50, p99 = result["well_behaved"]["p50_ms"], result["well_behaved"]["p99_ms"]
            colour = {"a": "#5a5", "d": "#06c"}.get(result["mark"], "#999")
            title = result["title"].replace("`", "")
            svg.append(f'<text x="20" y="{y}">({result["mark"]}) {title}</text>')
            svg.append(f'<path d="M{x(p50):.1f} {y - 4}H{x(p99):.1f}" stroke="{colour}" stroke-width="6"/>')
            svg.append(f'<text x="{x(p99) + 5:.1f}" y="{y}">{p99:.{1 if p99 < 100 else 0}f}</text>')
            if result["runaways"]:
                share = min(result["share"], 1.2) * 100
                svg.append(f'<rect x="{bars}" y="{y - 9}" width="{share:.1f}" height="10" fill="{colour}"/>')
                svg.append(f'<text x="{bars + share + 5:.1f}" y="{y}">{result["share"] * 100:.0f} %</text>')
        y += 2 * line
    bottom = y - line
    scale = [f'<text x="{left}" y="20">the well-behaved: from the median to the 99th percentile, ms</text>']
    scale.append(f'<text x="{bars}" y="20">runaways: of what is left</text>')
    for power in range(low, high + 1):
        at = x(10**power)
        scale.append(f'<path d="M{at:.1f} 34V{bottom}" stroke="#ddd"/>')
        scale.append(f'<text x="{at:.1f}" y="{bottom + 14}" text-anchor="middle">{10**power:g}</text>')
    scale.append(f'<path d="M{bars + 100} 34V{bottom}" stroke="#ddd"/>')
    size = f"0 0 770 {bottom + 25}"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" font-family="sans-serif" font-size="11">',
        f'<rect width="770" height="{bottom + 25}" fill="#fff"/>',
        *scale,
        *svg,
        "</svg>\n",
    ])
