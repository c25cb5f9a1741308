"""Links of the documentation in the static site."""

import pytest

from console.errors import BadInput, UserError
from web.site import documentation

README = """# Title

[one](docs/one.md#part), ![picture](docs/board.svg), [code](code.py), [folder](things/)

```text
[not a link](nowhere.md)
```

| | |
|---|---|
| start | [one](docs/one.md) |
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project in place of this one."""
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "things").mkdir()
    (root / "README.md").write_text(README)
    (root / "docs" / "one.md").write_text("# One\n\n## Part\n\n[back](../README.md#title)\n")
    (root / "docs" / "two.md").write_text("# Two\n")
    (root / "docs" / "board.svg").write_text("<svg/>")
    (root / "code.py").write_text('"""Code."""\n')
    (root / "things" / "a.py").write_text('"""A thing. More."""\n')
    monkeypatch.setattr(documentation, "ROOT", root)
    return root


def test_links_lead_to_pages_pictures_and_copies(project, tmp_path):
    out = tmp_path / "out"
    documentation.write(out)
    index = (out / "index.html").read_text()
    for target in ("one.html#part", "board.svg", "files/code.py.txt", "things.html"):
        assert f'"{target}"' in index, target
    assert "[not a link](nowhere.md)" in index
    assert (out / "files" / "code.py.txt").read_text() == '"""Code."""\n'
    assert ": A thing</li>" in (out / "things.html").read_text()
    # two.md is in no group of the README
    assert 'href="two.html"' in index and "<h2>More</h2>" in index and "<h2>Start</h2>" in index


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("[x](gone.md)", "links to gone.md, which does not exist"),
        ("[x](../../outside.md)", "links to ../../outside.md, which does not exist"),
        ("[x](one.md#gone)", "#gone"),
        ("[x](#gone)", "#gone"),
    ],
)
def test_a_link_that_leads_nowhere_is_an_error(project, tmp_path, link, reason):
    (tmp_path / "outside.md").touch()
    (project / "docs" / "two.md").write_text(f"# Two\n\n{link}\n")
    with pytest.raises(UserError, match=reason):
        documentation.write(tmp_path / "out")


def test_an_installed_package_has_no_documentation(project, tmp_path, monkeypatch):
    monkeypatch.setattr(documentation, "ROOT", tmp_path)
    with pytest.raises(BadInput, match="in a clone of the project"):
        documentation.write(tmp_path / "out")
