import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT

Visit = Callable[..., AppTest]
TITLES = {"launch": "Launch a run", "runs": "Runs", "results": "Results", "failures": "Failures"}


def test_the_app_opens_on_the_launch_page() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()
    assert not app.exception
    assert [title.value for title in app.title] == ["Launch a run"]


@pytest.mark.parametrize("page", TITLES)
def test_a_link_to_a_page_works_on_a_cold_server(page: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    assert [title.value for title in app.title] == [TITLES[page]]


@pytest.mark.parametrize("page", ["runs", "results", "failures"])
def test_an_empty_store_says_what_to_do_next(visit: Visit, page: str) -> None:
    app = visit(page)
    assert "launch" in app.info[0].value
    assert [link.value for link in app.get("page_link")] == ["Launch a run"]


def test_starting_loads_no_model_library_and_no_charts(data: Path) -> None:
    code = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        "app = AppTest.from_file('app.py', default_timeout=60).run()\n"
        "assert app.title[0].value == 'Launch a run', app.exception\n"
        "print(sorted({'torch', 'transformers', 'nl2pddl.figures'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.strip() == "[]"


def test_a_store_in_use_is_told_with_its_holder_and_tried_again(data: Path, visit: Visit) -> None:
    path = data / "store.duckdb"
    code = f"import duckdb, sys; held = duckdb.connect({str(path)!r}); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        app = visit("runs")
        assert "in use" in app.error[0].value
        assert str(holder.pid) in app.error[0].value
        assert not app.title
        holder.communicate()
    app.button[0].click().run()
    assert not app.error
    assert app.title[0].value == "Runs"


def test_a_file_that_is_no_store_is_told_and_left_alone(data: Path, visit: Visit) -> None:
    path = data / "store.duckdb"
    path.write_text("notes, not a database " * 100)
    app = visit("results")
    assert "cannot be opened" in app.error[0].value
    assert "DuckDB" in app.error[0].value
    assert path.read_text().startswith("notes")


def test_with_a_provider_in_the_secrets_nobody_sees_a_page_before_the_login(data: Path) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.secrets["auth"] = {"redirect_uri": "http://localhost:8501/oauth2callback", "cookie_secret": "x" * 32}
    app.run()
    assert not app.exception
    assert [button.label for button in app.button] == ["Log in"]
    assert [title.value for title in app.title] == ["NL2PDDL"]
    assert not (data / "store.duckdb").exists()
