"""formal.py: a counter whose assertion is about what happens at 6, checked for too few cycles and for enough."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import formal

RunFormal = Callable[[], tuple[int, str]]

COUNTER = """
module counter (input logic clk);
  logic [3:0] count = '0;
  always_ff @(posedge clk) count <= count + 1'b1;
  always_ff @(posedge clk) begin
    if (count == 4'd6) assert (count[0] == 1'b0);
    cover (count == 4'd6);
  end
endmodule
"""
SCRIPT = "read_slang --threads 1 --top counter counter_formal.sv\nprep -top counter\n"


def write(folder: Path, options: str, header: str = "# assumes: nothing.\n", cover_script: str = "") -> Path:
    (folder / "counter_formal.sv").write_text(COUNTER)
    script = SCRIPT + f"cover: {cover_script}\n" if cover_script else SCRIPT
    file = folder / "counter.sby"
    file.write_text(
        f"# counter\n{header}[tasks]\nbmc\ncover\n\n[options]\n{options}\n[engines]\nsmtbmc z3\n\n"
        f"[script]\n{script}\n[files]\ncounter_formal.sv\n"
    )
    return file


def options(bmc: int, cover: int) -> str:
    return f"bmc: mode bmc\nbmc: depth {bmc}\ncover: mode cover\ncover: depth {cover}\n"


@pytest.fixture
def run_formal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunFormal:
    def run() -> tuple[int, str]:
        monkeypatch.setattr(formal, "ROOT", tmp_path)
        monkeypatch.setattr(formal, "PROOFS", tmp_path)
        monkeypatch.setattr(formal, "BUILD", tmp_path / "build")
        monkeypatch.setattr(sys, "argv", ["formal.py"])
        return formal.main(), capsys.readouterr().out

    return run


def test_a_bounded_task_that_reaches_its_cover_points_passes(tmp_path: Path, run_formal: RunFormal) -> None:
    write(tmp_path, options(8, 8), cover_script=formal.COVER_ENABLES)
    status, out = run_formal()
    assert status == 0, out
    assert "2 points, the last in step 7" in out


def test_a_bounded_task_that_ends_before_its_cover_point_fails_and_names_it(tmp_path: Path, run_formal: RunFormal) -> None:
    write(tmp_path, options(5, 5))
    status, out = run_formal()
    assert status == 1
    assert "PASS  counter:bmc" in out  # the assertion holds, of nothing
    assert "counter:bmc holds, but may hold of nothing" in out
    assert "counter_formal.sv:7" in out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ({"options": options(5, 8)}, "a depth of at most 5"),  # reached, but only where the bounded task does not look
        ({"options": options(8, 8), "cover_script": "chformal -assume -remove"}, "with the same script lines"),
        ({"options": options(8, 8), "header": ""}, "does not say what it assumes"),
    ],
)
def test_what_a_file_lacks_is_said_in_a_sentence(tmp_path: Path, text: dict[str, str], sentence: str) -> None:
    file = write(tmp_path, **text)
    lacking = formal.missing(formal.proofs_of(file), {file: file.read_text()})
    assert len(lacking) == 1
    assert sentence in lacking[0]


def test_a_cover_task_without_cover_points_fails() -> None:
    proof = formal.Proof(Path("a.sby"), "cover", "cover", 8, ("prep",), assumes=False, slow=False)
    result = formal.judge_cover(formal.Result(proof, passed=True, seconds=0.0, log=Path("a.log")), "Status: passed")
    assert not result.passed


def test_a_file_or_a_task_of_it_is_slow(tmp_path: Path) -> None:
    def slow(header: str) -> list[bool]:
        file = write(tmp_path, options(7, 7), f"# assumes: nothing.\n{header}")
        return [proof.slow for proof in formal.proofs_of(file)]

    assert slow("") == [False, False]
    assert slow("# slow (minutes)\n") == [True, True]
    assert slow("# slow: bmc\n") == [True, False]
    assert slow("# slow: bmc cover\n") == [True, True]
