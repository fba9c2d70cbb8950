"""Faults of ours: one line on stderr, a row in the receipt, and the program exactly as without us."""

import json
import os
import resource
import textwrap

import pytest

CATCH = """
import os, sys, time
import torch
torch.cuda.allocate(1)
{before}
for _ in range({times}):
    try:
        torch.cuda.allocate(5000)
    except torch.OutOfMemoryError as error:
        print(type(error).__name__, error.__cause__, error.__context__)
{after}
"""
LINE = "OutOfMemoryError None None\n"


def program(before="", after="", times=2):
    return CATCH.format(before=textwrap.dedent(before), after=textwrap.dedent(after), times=times)


def test_a_dump_that_raises_after_opening_its_file(step, cpu):
    lain = step()
    before = """
        def broken(path, **kw):
            with open(path, "wb") as file:
                file.write(b"half")
                raise RuntimeError("stoi")
        torch.cuda.memory._dump_snapshot = broken
    """
    done = lain.run(program(before), python=cpu, tiny=True)
    assert (done.code, done.out) == (0, LINE * 2)
    assert done.ours == ["oom-autopsy: the snapshot was not written: RuntimeError: stoi"], "one line per kind"
    receipt = done.receipt
    assert [oom["snapshot"] for oom in receipt["ooms"]] == [None, None]
    assert receipt["ooms"][0]["snapshot_error"] == receipt["faults"][0]
    assert lain.snapshots() == lain.leftovers() == []


@pytest.mark.parametrize("error", ("SystemExit(9)", "KeyboardInterrupt", "BaseException"))
def test_even_the_worst_exception_of_a_dump_stays_ours(error, step, cpu):
    before = f"def broken(path, **kw): raise {error}\ntorch.cuda.memory._dump_snapshot = broken"
    done = step().run(program(before), python=cpu, tiny=True)
    assert (done.code, done.out, len(done.ours)) == (0, LINE * 2, 1)


def test_an_empty_file_is_no_snapshot(step, cpu):
    lain = step()
    before = "torch.cuda.memory._dump_snapshot = lambda path, **kw: open(path, 'wb').close()"
    done = lain.run(program(before), python=cpu, tiny=True)
    assert (done.code, done.out, len(done.ours)) == (0, LINE * 2, 1)
    assert lain.snapshots() == lain.leftovers() == []


def test_a_dump_that_hangs_is_given_up_and_the_program_goes_on(step, cpu):
    lain = step(dump_deadline_s=0.5)
    before = """
        def hang(path, **kw):
            open(path, "wb").write(b"begun")
            time.sleep(60)
        torch.cuda.memory._dump_snapshot = hang
    """
    done = lain.run(program(before, "print('on')"), python=cpu, tiny=True, timeout=30)
    assert (done.code, done.out) == (0, LINE * 2 + "on\n")
    assert done.ours == ["oom-autopsy: the snapshot was given up after 0.5 s"]
    receipt = done.receipt
    assert receipt["ooms"][0]["dump_seconds"] >= 0.5
    assert receipt["ooms"][1]["snapshot_error"] == "an earlier snapshot is stuck in torch"
    assert receipt["recorder"]["disarm_proven"] is False and "stuck" in receipt["recorder"]["reason"]
    assert receipt["end"]["kind"] == "exit" and lain.snapshots() == []


def test_a_late_dump_leaves_no_file(step, cpu):
    """Given up, then done all the same: a file the receipt does not know must not appear."""
    lain = step(dump_deadline_s=0.2)
    before = """
        real = torch.cuda.memory._dump_snapshot
        def slow(path, **kw):
            time.sleep(0.8)
            real(path)
        torch.cuda.memory._dump_snapshot = slow
    """
    done = lain.run(program(before, "time.sleep(1)", times=1), python=cpu, tiny=True)
    assert (done.code, done.out, len(done.ours)) == (0, LINE, 1)
    assert lain.snapshots() == lain.leftovers() == []


def test_a_deadline_holds_on_real_torch(step, cuda):
    lain = step(dump_deadline_s=0.5)
    done = lain.run(
        """
        import time, torch
        torch.zeros(1, device="cuda")
        torch.cuda.memory._dump_snapshot = lambda path, **kw: time.sleep(60)
        torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
        """,
        python=cuda,
    )
    assert done.code == 1 and done.theirs[-1].startswith("torch.OutOfMemoryError: CUDA out of memory")
    assert done.receipt["end"]["oom"] is True


@pytest.mark.parametrize("how", ("absent", "vanished", "unwritable", "a file"))
def test_an_evidence_folder_that_cannot_be_written(how, step, cpu, tmp_path):
    root = how == "unwritable" and os.geteuid() == 0  # who writes anywhere but there
    folder = "/proc/oom-autopsy" if root else str(tmp_path / "evidence")
    lain = step()
    if how == "a file":
        (tmp_path / "evidence").write_text("")
    elif how != "absent" and not folder.startswith("/proc"):
        (tmp_path / "evidence").mkdir(mode=0o500 if how == "unwritable" else 0o700)
    lain.config.write_text(json.dumps({**json.loads(lain.config.read_text()), "evidence": folder}))
    before = "import shutil; shutil.rmtree(sys.argv[1])" if how == "vanished" else ""
    done = lain.run(program(before), folder, python=cpu, tiny=True)
    assert (done.code, done.out, done.theirs) == (0, LINE * 2, [])
    assert len(done.ours) == len(set(done.ours)) <= 2 and "receipt cannot be written" in done.err
    if how == "vanished":
        assert not os.path.exists(folder), "it is not ours to make again"


def test_a_full_disk(step, cpu, tmp_path):
    """A limit on file size stands for it: the snapshot does not fit, the receipt does."""
    script = tmp_path / "limited.py"
    script.write_text(
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n" + program(times=2)
    )
    lain = step()
    done = lain.run("", argv=[cpu, str(script)], tiny=True, env={"TINY_TORCH_SIZE": "100000"})
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20000
    assert (done.code, done.out) == (0, LINE * 2)
    assert done.ours == ["oom-autopsy: the snapshot was not written: OSError: File too large"]
    assert lain.snapshots() == lain.leftovers() == []
    assert done.receipt["ooms"][1]["snapshot_error"].endswith("File too large")


@pytest.mark.skipif(os.geteuid() != 0, reason="skipped: a tiny file system can be mounted by root only")
def test_a_full_file_system(step, cpu, tmp_path):
    import subprocess

    full = tmp_path / "full"
    full.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(full)], capture_output=True
    ).returncode:
        pytest.skip("skipped: no tmpfs can be mounted here")
    try:
        lain = step(evidence=full)
        done = lain.run(program(times=3), python=cpu, tiny=True, env={"TINY_TORCH_SIZE": "10000"})
        assert (done.code, done.out) == (0, LINE * 3)
        assert "oom-autopsy: the snapshot was not written: OSError: No space left on device" in done.ours
        assert lain.snapshots() == lain.leftovers() == []
        assert done.receipt["end"]["kind"] == "exit", "what a failed dump had taken is free for the receipt"
    finally:
        subprocess.run(["umount", str(full)], check=True)


@pytest.mark.parametrize(
    "text",
    (
        "",
        "[]",
        "{}",
        '{"schema": "oom-autopsy.config.v1"}',
        '{"schema":"oom-autopsy.config.v1","evidence":"rel"}',
    ),
)
def test_a_config_that_says_nothing(text, step, cpu):
    lain = step()
    lain.config.write_text(text)
    done = lain.run(program(), python=cpu, tiny=True)
    assert (done.code, done.out, done.theirs, len(done.ours)) == (0, LINE * 2, [], 1)
    assert done.ours[0].startswith("oom-autopsy: not armed: ") and lain.receipts() == []


def test_no_config(step, cpu):
    lain = step()
    lain.config.unlink()
    done = lain.run(program(), python=cpu, tiny=True)
    assert (done.code, done.out, done.ours) == (
        0,
        LINE * 2,
        ["oom-autopsy: not armed: FileNotFoundError: No such file or directory"],
    )


def test_a_wrong_setting_takes_its_default_and_is_named(step, cpu):
    lain = step(stacks="both", max_entries=0, cycles="off")
    done = lain.run(program(times=0), python=cpu, tiny=True)
    assert done.code == 0 and len(done.receipt["faults"]) == 2 and len(done.ours) == 1
    assert done.receipt["recorder"]["max_entries"] == 100_000


def test_a_closed_or_replaced_stderr(step, cpu):
    lain = step()
    lain.config.write_text("")
    done = lain.run("import os; os.close(2)\n" + program(), python=cpu, tiny=True)
    assert (done.code, done.out) == (0, LINE * 2)
    replaced = "import sys, io; sys.stderr = io.StringIO()\n" + program(
        after="print(repr(sys.stderr.getvalue()))"
    )
    done = lain.run(replaced, python=cpu, tiny=True)
    assert done.out == LINE * 2 + "''\n", "what the program captures is its own"


def test_a_shim_in_pieces_is_one_line(step, cpu):
    lain = step()
    (lain.path / "_oom_autopsy" / "process.py").write_text("raise RuntimeError('cut short')\n")
    done = lain.run(program(), python=cpu, tiny=True)
    assert (done.code, done.out, done.ours) == (
        0,
        LINE * 2,
        ["oom-autopsy: not armed: RuntimeError: cut short"],
    )


def test_faults_of_a_look_are_rows(step, cpu):
    lain = step(categories="census")
    (lain.path / "_oom_autopsy" / "census" / "census.py").write_text(
        "def take(*a, **k): raise ValueError('no')\n"
    )
    done = lain.run(program(), python=cpu, tiny=True)
    assert (done.code, done.out, len(done.ours)) == (0, LINE * 2, 1)
    assert done.receipt["ooms"][0]["snapshot"] in lain.snapshots()
    assert any("census" in fault for fault in done.receipt["faults"])


def test_no_thread_to_be_had(step, cpu):
    """The dump then happens on the program's own thread."""
    lain = step()
    before = """
        import _thread
        def none(*a):
            raise RuntimeError("can't start new thread")
        _thread.start_new_thread = none
    """
    done = lain.run(program(before), python=cpu, tiny=True)
    assert (done.code, done.out, done.ours) == (0, LINE * 2, []) and len(lain.snapshots()) == 2


def test_umask_is_the_programs(step, cpu):
    lain = step()
    after = "old = os.umask(0); print(oct(old))"
    done = lain.run("import os; os.umask(0o077)\n" + program(after=after, times=1), python=cpu, tiny=True)
    assert done.out == LINE + "0o77\n"


def test_a_link_planted_under_our_temporary_name_is_not_followed(step, tmp_path):
    from _oom_autopsy import store

    target = tmp_path / "precious"
    target.write_text("kept")
    hand = store.Store(str(tmp_path))
    planted = tmp_path / f".x.receipt.json.tmp-{os.getpid()}"
    planted.symlink_to(target)
    hand.write("x.receipt.json", b"new", new=True)
    assert target.read_text() == "kept" and (tmp_path / "x.receipt.json").read_text() == "new"
    with pytest.raises(FileExistsError):
        hand.write("x.receipt.json", b"other", new=True)
    assert (tmp_path / "x.receipt.json").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_root_gives_its_files_to_the_owner_of_the_folder(tmp_path):
    from _oom_autopsy import store

    os.chown(tmp_path, 65534, 65533)
    store.Store(str(tmp_path)).write("x.receipt.json", b"told", new=True)
    stat = (tmp_path / "x.receipt.json").stat()
    assert (stat.st_uid, stat.st_gid, stat.st_mode & 0o777) == (65534, 65533, 0o600)
