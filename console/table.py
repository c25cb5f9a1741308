"""Tables for people."""


def aligned(rows: list[list[str]]) -> str:
    """Columns padded to their widest entry; numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]

    def numeric(i):
        return all(row[i].replace(".", "").replace("-", "").replace(",", "").isdigit() for row in rows[1:] if row[i])

    right = [numeric(i) for i in range(len(widths))]
    lines = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)) for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)
