"""Notebooks, run and compared with the outputs that they hold, for tests/documents.py.

A cell is executed as Jupyter does it: its last expression is shown, as HTML or a picture where the
object has one. Nothing of Jupyter is needed. Figures that depend on the machine are not compared.
"""

import ast
import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

# Figures that depend on the machine.
MEASURED = re.compile(r"\b\d[\d,.]*(?= (s|ms|us|ns|kB)\b|/s\b)|\b20\d\d-\d\d-\d\d( \d\d:\d\d)?\b")
PLAIN = "text/plain"
VIEWS = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}
# the same for everyone: no interpreter, version or folder of a machine
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def run_notebook(page: Path, write: bool = False) -> list[str]:
    """Run the cells in this folder and return the differences; `write`: update the notebook."""
    notebook, names, problems = json.loads(page.read_text()), {"__name__": "__main__"}, []
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code, 1):
        source = "".join(cell["source"])
        try:
            outputs = list(run_cell(source, number, names))
        except Exception as error:
            problems.append(f"cell {number}\n{source}\n--- raised\n{error!r}\n")
            break
        if stable(cell["outputs"]) != stable(outputs):
            problems.append(difference(number, cell["outputs"], outputs))
            cell["outputs"] = outputs
        cell |= {"execution_count": number, "metadata": {}}
    if write:
        notebook["metadata"] = METADATA
        page.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    return problems


def run_cell(source: str, number: int, names: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Execute a cell; yield what it prints, then what its last expression shows."""
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body[-1:]
    with redirect_stdout(printed):
        if last and isinstance(last[0], ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), f"<cell {number}>", "exec"), names)
            value = eval(compile(ast.Expression(last[0].value), f"<cell {number}>", "eval"), names)
        else:
            exec(compile(tree, f"<cell {number}>", "exec"), names)
    if text := printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}
    if value is not None:
        data = {kind: text.splitlines(keepends=True) for kind, text in views(value).items()}
        shown = {"data": data, "execution_count": number, "metadata": {}}
        yield shown | {"output_type": "execute_result"}


def views(value: Any) -> dict[str, str]:
    """Return how a notebook shows a value, by media type."""
    found = {PLAIN: repr(value)}
    for method, kind in VIEWS.items():
        text = getattr(value, method, lambda: None)()
        found |= {kind: text} if text else {}
    return found | getattr(value, "_repr_mimebundle_", dict)()


def stable(outputs: list[dict[str, Any]]) -> list[Any]:
    """Return the texts of outputs, by media type, without figures that depend on the machine."""
    texts = ({PLAIN: one["text"]} if "text" in one else one["data"] for one in outputs)
    return [
        {kind: MEASURED.sub("...", "".join(text)) for kind, text in by_kind.items()}
        for by_kind in texts
    ]


def difference(number: int, shown: list, printed: list) -> str:
    def text(outputs: list) -> str:
        return "\n".join(by_kind[PLAIN] for by_kind in stable(outputs))

    return f"cell {number}\n--- shown\n{text(shown)}\n--- printed\n{text(printed)}\n"
