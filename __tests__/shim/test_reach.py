"""The ways programs are started out there: each is reached, and runs as without us.

The launchers are those of OA_PYTHON_TOOLS (uv, tox, nox, coverage, pytest with xdist and forked); torch is the tiny one, so that
whole trees of processes start in a moment. End to end, with real torch, a few of them are in __tests__/e2e/reach.test.ts.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest
from conftest import ROOT, TINY, device_env, find_python, rarely, run

PROGRAM = """
import sys, os
import torch
try:
    torch.cuda.allocate(5000)
except torch.OutOfMemoryError:
    print("caught")
"""
SUPPORTED = ("3.9", "3.10", "3.11", "3.12", "3.13")


@pytest.fixture
def tools():
    """Folder of the tools' programs."""
    python = os.environ.get("OA_PYTHON_TOOLS")
    if not python:
        pytest.skip("skipped: OA_PYTHON_TOOLS is not set (npm test sets it)")
    return pathlib.Path(python).parent


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(PROGRAM)
    return path


def reached(lain, argv, *, processes=1, tiny=True, **options):
    """The command ends as without us, says nothing of ours, and `processes` of it armed and disarmed."""
    argv = [str(word) for word in argv]
    shim, plain = (run("", argv=argv, step=s, tiny=tiny, **options) for s in (lain, None))
    assert (shim.code, shim.ours) == (plain.code, []), shim.err
    armed = [receipt["recorder"] for receipt in shim.receipts if receipt["recorder"]["armed_at"]]
    assert len(armed) == processes, (shim.out, shim.err)
    assert all(recorder["disarm_proven"] is True for recorder in armed)
    return shim, plain


def same_output(lain, argv, **options):
    """And prints the same."""
    shim, plain = reached(lain, argv, **options)
    assert (shim.out, shim.err) == (plain.out, plain.err)
    return shim


def test_a_virtual_environment(step, script, tmp_path):
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    same_output(step(), [venv / "bin" / "python", script])
    activate = f". {venv}/bin/activate && python {script}"
    same_output(step(), ["bash", "-c", activate])


def test_a_console_script(step, tmp_path):
    """As pip writes them, with and without the sh line for long paths."""
    (tmp_path / "entry.py").write_text("def main():\n" + textwrap.indent(PROGRAM, "    ") + "    return 3\n")
    body = "import sys\nfrom entry import main\nsys.exit(main())\n"
    short, long = tmp_path / "short", tmp_path / "long"
    short.write_text(f"#!{sys.executable}\n{body}")
    long.write_text(f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n{body}")
    for console in (short, long):
        console.chmod(0o755)
        shim = same_output(step(), [console], extra_path=[tmp_path])
        assert (shim.code, shim.receipt["program"]) == (3, console.name)


@pytest.mark.parametrize("kind", ("module", "package", "c", "stdin", "zip"))
def test_a_module_a_line_a_pipe_an_archive(kind, step, script, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__main__.py").write_text(PROGRAM)
    shutil.make_archive(str(tmp_path / "app"), "zip", tmp_path / "pack")
    python = sys.executable
    argv = {
        "module": [python, "-m", "script"],
        "package": [python, "-m", "pack"],
        "c": [python, "-c", PROGRAM],
        "stdin": ["sh", "-c", f"{python} - < {script}"],
        "zip": [python, tmp_path / "app.zip"],
    }[kind]
    assert same_output(step(), argv, cwd=tmp_path).out == "caught\n"


# A script of the step, and how many of its processes use CUDA. {py} is the interpreter.
SHELLS = {
    "timeout": ("timeout 60 {py} script.py", 1),
    "timeout of a tree": ("timeout 60 sh -c '{py} script.py; {py} script.py'", 2),
    "setsid": ("setsid -w {py} script.py", 1),
    "nohup in the background": ("nohup {py} script.py & wait", 1),
    "nice, env and stdbuf": ("nice env A=b stdbuf -oL {py} script.py", 1),
    "xargs": ("printf '%s\\n' script.py script.py | xargs -P 2 -n 1 {py}", 2),
    "a changed folder": ("cd / && {py} $OLDPWD/script.py", 1),
    "exec": ("exec {py} script.py", 1),
    "a pipe": ("{py} script.py | tee log", 1),
    "a path behind ours": ('PYTHONPATH="$PYTHONPATH:$PWD" {py} -m script', 1),
    "a path before ours": ('PYTHONPATH="$PWD:$PYTHONPATH" {py} -m script', 1),
    "a relative path before ours": ("PYTHONPATH=.:$PYTHONPATH {py} -m script", 1),
    "an empty path before ours": ("PYTHONPATH=:$PYTHONPATH {py} -m script", 1),
    "an empty path behind ours": ("PYTHONPATH=$PYTHONPATH: {py} -m script", 1),
    "a safe path": ("PYTHONSAFEPATH=1 {py} script.py", 1),
    "no user site": ("{py} -s -B -u script.py", 1),
    "a login shell": ('bash -l -c "{py} script.py"', 1),
    "make": ("make -s both -j2", 2),
    "a make that sets a path": ("make -s own", 1),
}


# One of each sort: through others, into others, and each place of a path of the program's own.
OFTEN = ("timeout of a tree", "nohup in the background", "xargs", "exec", "a path before ours", "make")


@pytest.mark.parametrize("kind", rarely(SHELLS, OFTEN))
def test_a_shell(kind, step, script, tmp_path):
    text, processes = SHELLS[kind]
    (tmp_path / "Makefile").write_text(
        "PY := " + sys.executable + "\nboth: a b\na b:\n\t$(PY) script.py\n"
        "own: export PYTHONPATH := $(PYTHONPATH):src\nown:\n\t$(PY) script.py\n"
    )
    shim, plain = reached(
        step(), ["bash", "-c", text.format(py=sys.executable)], processes=processes, cwd=tmp_path
    )
    assert (shim.out, shim.code) == (plain.out, 0)


# What a program does before it comes to torch.
DETOURS = {
    "os.execv": "import os, sys\nos.execv(sys.executable, [sys.executable, 'script.py'])",
    "os.execvpe with a changed environment": (
        "import os, sys\nos.execvpe(sys.executable, [sys.executable, 'script.py'], dict(os.environ, A='b'))"
    ),
    "os.spawnv": "import os, sys\nos.spawnv(os.P_WAIT, sys.executable, [sys.executable, 'script.py'])",
    "posix_spawn": (
        "import os, sys\n"
        "os.waitpid(os.posix_spawn(sys.executable, [sys.executable, 'script.py'], os.environ), 0)"
    ),
    "subprocess": "import subprocess, sys\nsubprocess.run([sys.executable, 'script.py'], check=True)",
    "os.system": "import os, sys\nos.system(sys.executable + ' script.py')",
    "runpy": "import runpy\nrunpy.run_path('script.py', run_name='__main__')",
    "a cleared sys.path": (
        "import sys\nsource = open('script.py').read()\n"
        "sys.path[:] = [p for p in sys.path if 'oom-autopsy' not in p]\nexec(source)"
    ),
    "a cleared path in the environment": (
        "import os\nos.environ.pop('PYTHONPATH')\nexec(open('script.py').read())"
    ),
    "another folder": "import os\nsource = open('script.py').read()\nos.chdir('/')\nexec(source)",
}


@pytest.mark.parametrize("kind", rarely(DETOURS, ("os.execv", "subprocess", "runpy", "a cleared sys.path")))
def test_a_detour(kind, step, script, tmp_path):
    (tmp_path / "detour.py").write_text(DETOURS[kind])
    shim = same_output(step(), [sys.executable, "detour.py"], cwd=tmp_path)
    assert (shim.code, shim.out) == (0, "caught\n")


@pytest.mark.parametrize("version", rarely(SUPPORTED, ("3.9", "3.13")))
def test_a_relocated_prefix(version, step, script, tmp_path):
    """As conda lays an environment out: a whole Python under a prefix of its own, started by its path, by an
    activated PATH, and through another Python (`conda run`)."""
    python = find_python(version)
    if python is None:
        pytest.skip(f"skipped: no Python {version} here")
    base = pathlib.Path(python).resolve().parents[1]
    prefix = tmp_path / "envs" / "gpu"
    (prefix / "bin").mkdir(parents=True)
    shutil.copy2(pathlib.Path(python).resolve(), prefix / "bin" / f"python{version}")
    (prefix / "bin" / "python").symlink_to(f"python{version}")
    for folder in ("lib", "include"):
        (prefix / folder).symlink_to(base / folder)
    env = {"LD_LIBRARY_PATH": str(base / "lib")}
    shim = same_output(step(), [prefix / "bin" / "python", script], env=env)
    assert shim.receipt["executable"].startswith(str(prefix))
    path = f"PATH={prefix}/bin:$PATH python {script}"
    same_output(step(), ["bash", "-c", path], env=env)
    through = f"import subprocess; subprocess.run(['python', {str(script)!r}])"
    same_output(
        step(), [sys.executable, "-c", through], env={**env, "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    )


def test_every_python_of_a_step(step, script):
    """Old ones stay silent and unharmed beside new ones that arm."""
    versions = ("2.7", "3.6", "3.7", "3.8", *SUPPORTED)
    found = {version: find_python(version) for version in versions}
    pythons = {version: path for version, path in found.items() if path}
    text = "\n".join(
        f"{path} -c 'import sys; print(sys.version_info[:2])'"
        if version not in SUPPORTED
        else f"{path} {script}"
        for version, path in pythons.items()
    )
    lain = step()
    shim = same_output(lain, ["bash", "-ec", text], processes=sum(v in SUPPORTED for v in pythons))
    assert {receipt["python"].rsplit(".", 1)[0] for receipt in shim.receipts} == set(pythons) & set(SUPPORTED)


def test_uv_run(step, tools, script, tmp_path):
    """Without a project, in a project, isolated; nothing is asked of an index."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "pyproject.toml").write_text(
        "[project]\nname = 'x'\nversion = '1'\nrequires-python = '>=3.9'\ndependencies = []\n"
    )
    env = {"UV_OFFLINE": "1", "UV_CACHE_DIR": str(tmp_path / "cache"), "UV_PYTHON": sys.executable}
    for words, cwd in (
        (["--no-project"], tmp_path),
        (["--isolated", "--no-project"], tmp_path),
        ([], tmp_path / "project"),
    ):
        shim, _ = reached(step(), [tools / "uv", "-q", "run", *words, "python", script], env=env, cwd=cwd)
        assert (shim.code, shim.out) == (0, "caught\n"), shim.err


TESTS = """
import pytest, torch
@pytest.mark.parametrize("n", range(4))
def test_it(n):
    with pytest.raises(torch.OutOfMemoryError):
        torch.cuda.allocate(5000)
"""


@pytest.mark.parametrize(
    ("options", "armed"),
    [
        ((), 1),
        (("-n", "2"), 2),
        pytest.param(("-n", "2", "--dist=loadfile"), 1, marks=pytest.mark.long),
    ],
)
def test_pytest(options, armed, step, tools, tmp_path):
    """With xdist too. (--forked needs a pytest before 9, so it is in test_neighbours.)"""
    (tmp_path / "test_it.py").write_text(TESTS)
    lain = step()
    argv = [tools / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, tmp_path]
    done = run("", argv=[str(word) for word in argv], step=lain, tiny=True, cwd=tmp_path)
    assert done.code == 0 and "4 passed" in done.out, done.out
    used = [receipt for receipt in done.receipts if receipt["recorder"]["armed_at"]]
    assert len(used) == armed and sum(receipt["oom_count"] for receipt in used) == 4
    assert all(receipt["recorder"]["disarm_proven"] for receipt in used)


def test_nox_and_coverage(step, tools, script, tmp_path):
    (tmp_path / "noxfile.py").write_text(
        "import nox\n@nox.session(venv_backend='none')\ndef gpu(session):\n"
        f"    session.run({sys.executable!r}, 'script.py', external=True)\n"
    )
    reached(step(), [tools / "python", "-m", "nox", "-s", "gpu"], cwd=tmp_path)
    shim, _ = reached(step(), [tools / "python", "-m", "coverage", "run", "script.py"], cwd=tmp_path)
    assert shim.receipt["program"] in ("script.py", "-m coverage")


def test_tox_reaches_only_what_it_is_told_to(step, tools, script, tmp_path):
    """The remedy in the report works: the environment named, PYTHONPATH passed."""
    (tmp_path / "tox.ini").write_text(
        "[tox]\nskipsdist = true\nno_package = true\n[testenv:gpu]\nskip_install = true\n"
        f"pass_env = OTHER\nallowlist_externals = {sys.executable}\n"
        f"commands = {sys.executable} -c \"import sys; sys.path.insert(0, '{TINY}'); exec(open('script.py').read())\"\n"
    )
    argv = [tools / "python", "-m", "tox", "-q", "-e", "gpu"]
    reached(step(), argv, processes=0, cwd=tmp_path, tiny=False)
    env = {"TOX_OVERRIDE": "testenv:gpu.pass_env+=PYTHONPATH"}
    shim, _ = reached(step(), argv, cwd=tmp_path, tiny=False, env=env)
    assert "caught" in shim.out


@pytest.mark.parametrize("method", ("fork", "spawn", "forkserver"))
def test_multiprocessing_and_pools(method, step, tmp_path):
    (tmp_path / "pool.py").write_text(
        "import multiprocessing, sys\nimport torch\n"
        "def work(n):\n"
        "    try: torch.cuda.allocate(5000)\n"
        "    except torch.OutOfMemoryError: return n\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context(sys.argv[1])\n"
        "    processes = [context.Process(target=work, args=(n,)) for n in range(2)]\n"
        "    [p.start() for p in processes]; [p.join() for p in processes]\n"
        "    print([p.exitcode for p in processes])\n"
    )
    shim = same_output(step(), [sys.executable, "pool.py", method], processes=2, cwd=tmp_path)
    assert shim.out == "[0, 0]\n"
    assert sum(receipt["oom_count"] for receipt in shim.receipts) == 2


def test_a_container_that_gets_the_variable_and_the_folder(step, script):
    """As docs/reach.md hands them on: pids of its own, nothing else of the environment, the shim's folder read-only."""
    apart = ["unshare", "--pid", "--fork", "--mount-proc", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True).returncode:
        pytest.skip("skipped: no pid namespace can be made here")
    lain = step()
    path = str(lain.path)
    sealed = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && ! touch "$1/x" 2>/dev/null && shift && exec "$@"'
    container = ["env", "-i", f"PYTHONPATH={path}:{TINY}", sys.executable, str(script)]
    argv = [*apart, "sh", "-c", sealed, "sh", path, *container]
    done = run("", argv=argv, step=lain)
    assert (done.code, done.out, done.ours) == (0, "caught\n", [])
    assert (done.receipt["pid"], done.receipt["recorder"]["disarm_proven"]) == (1, True)


@pytest.mark.soak
def test_accelerate_launch(step, cuda, tmp_path):
    """Two ranks of which one runs out. From PyPI into a venv of the tests, over the torch that is there."""
    venv = ROOT / ".setup" / "accelerate"
    if not (venv / "bin" / "accelerate").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        pip = [venv / "bin" / "pip", "-q", "install"]
        needs = "psutil pyyaml safetensors huggingface_hub packaging"
        for words in (needs.split(), ["--no-deps", "accelerate"]):
            made = subprocess.run([*pip, *words], capture_output=True, text=True)
            if made.returncode:
                pytest.skip(f"skipped: accelerate cannot be installed here: {made.stderr[-300:]}")
    where = subprocess.run(
        [cuda, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True
    )
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "torch.pth").write_text(f"import site; site.addsitedir({where.stdout.strip()!r})\n")
    rank = tmp_path / "rank.py"
    rank.write_text(
        "import os, time, torch\n"
        "device = 'cuda:' + os.environ['LOCAL_RANK']\n"
        "torch.zeros(1, device=device)\n"
        f"open({str(tmp_path)!r} + '/ready' + os.environ['RANK'], 'w').close()\n"
        f"while len([n for n in os.listdir({str(tmp_path)!r}) if n.startswith('ready')]) < 2: time.sleep(0.05)\n"
        "if os.environ['RANK'] == '1': torch.empty(1 << 40, dtype=torch.uint8, device=device)\n"
        "time.sleep(120)\n"
    )
    lain = step(snapshot="on-failure")
    options = "launch --multi_gpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no"
    argv = [str(venv / "bin" / "accelerate"), *options.split(), str(rank)]
    done = run("", argv=argv, step=lain, env=device_env(devices=2), timeout=300)
    assert (done.code, done.ours) == (1, []), done.err[-2000:]
    ranks = {receipt["rank"].get("RANK"): receipt for receipt in done.receipts}
    assert set(ranks) == {None, "0", "1"}
    assert ranks[None]["recorder"]["state"] == "idle"
    assert (ranks["0"]["end"]["kind"], ranks["1"]["end"]["oom"]) == ("sigterm", True)
    assert ranks["0"]["recorder"]["disarm_proven"] is ranks["1"]["recorder"]["disarm_proven"] is True
    reasons = [("-rank1-" in name, name.rsplit("-", 1)[1]) for name in lain.snapshots()]
    assert reasons == [(False, "sigterm.pickle"), (True, "oom.pickle")]
