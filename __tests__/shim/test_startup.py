"""The start-up hook: silent and inert where it must be, in nobody's way, there when torch is imported."""

import json
import os
import py_compile
import subprocess
import sys
import textwrap
import zipfile

import pytest
from conftest import TINY, Step, python_or_skip, rarely, run

ALL = ("2.7", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
SUPPORTED = ("3.9", "3.10", "3.11", "3.12", "3.13")

MODULES = """
import sys
before = sorted(m for m in sys.modules if not m.startswith("encodings"))
import json
print(json.dumps([before, sys.path[1:], len(sys.meta_path)]))
"""


@pytest.mark.parametrize("version", ALL)
def test_a_bare_python_starts_as_without_us(version, step):
    """No module more, no output, no sitecustomize where there was none; the same path but for our folder."""
    python, lain = python_or_skip(version), step()
    shim, plain = (run(MODULES, python=python, step=s) for s in (lain, None))
    assert (shim.code, shim.err) == (plain.code, plain.err) == (0, "")
    (modules, path, finders), (plain_modules, plain_path, plain_finders) = (
        json.loads(shim.out),
        json.loads(plain.out),
    )
    assert modules == plain_modules
    # Debian's own Python has one.
    assert "sitecustomize" not in modules or "sitecustomize" in plain_modules
    assert [p for p in path if p != str(lain.path)] == plain_path
    assert finders == plain_finders + (1 if version in SUPPORTED else 0)
    assert lain.receipts() == []


@pytest.mark.parametrize("version", SUPPORTED)
def test_every_supported_python_arms(version, step):
    lain = step()
    done = lain.run("import torch; torch.cuda.allocate(1)", python=python_or_skip(version), tiny=True)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert done.receipt["recorder"]["state"] == "disarmed"
    assert done.receipt["recorder"]["disarm_proven"] is True
    assert done.receipt["python"].startswith(version + ".")


@pytest.mark.parametrize("version", ("2.7", "3.6", "3.8"))
def test_an_old_python_with_a_torch_is_left_alone(version, step, tmp_path):
    (tmp_path / "torch.py").write_text("print('imported')\n")
    done = step().run("import torch", python=python_or_skip(version), extra_path=[tmp_path])
    assert (done.code, done.out, done.err, done.receipts) == (0, "imported\n", "", [])


USERS = {
    "file": {
        "sitecustomize.py": "import sys; print('user', __name__, sys.modules[__name__].__file__ == __file__)"
    },
    "package": {"sitecustomize/__init__.py": "print('package', __name__, __path__[0][-13:])"},
    "importing": {"sitecustomize.py": "import helper", "helper.py": "print('helped')"},
    "namespace": {"sitecustomize/part.py": "print('not run')"},
    "ImportError": {"sitecustomize.py": "import absent_module"},
    "own ImportError": {"sitecustomize.py": "raise ImportError('mine', name='sitecustomize')"},
    "error": {"sitecustomize.py": "print('first'); raise ValueError('theirs')"},
    "syntax": {"sitecustomize.py": "def broken(:\n"},
    "path": {"sitecustomize.py": "import sys; sys.path.append('/added'); sys.path.insert(0, '/first')"},
    "new path": {"sitecustomize.py": "import sys; sys.path = ['/only'] + sys.path"},
    "modules": {"sitecustomize.py": "import sys; sys.modules['sitecustomize'] = sys"},
}
AFTER = """
import sys
m = sys.modules.get("sitecustomize")
print(getattr(m, "__name__", None), getattr(m, "__file__", None), [p for p in sys.path if p != sys.argv[1]])
"""


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + "\n")


@pytest.mark.parametrize("version", rarely(("2.7", "3.8", "3.9", "3.11", "3.13"), ("2.7", "3.11")))
@pytest.mark.parametrize("kind", USERS)
def test_the_programs_own_sitecustomize_runs_as_without_us(kind, version, step, tmp_path):
    python, lain, user = python_or_skip(version), step(), tmp_path / "user"
    write(user, USERS[kind])
    same = {"python": python, "extra_path": [user], "env": {"PYTHONDONTWRITEBYTECODE": "1"}}
    shim = run(AFTER, lain.path, step=lain, **same)
    plain = run(AFTER, lain.path, **same)
    assert (shim.code, shim.out, shim.err) == (plain.code, plain.out, plain.err)


@pytest.mark.parametrize("form", ("pyc", "zip"))
def test_a_compiled_or_zipped_sitecustomize_runs(form, step, tmp_path):
    source = tmp_path / "source.py"
    source.write_text("print('compiled', __name__)\n")
    user = tmp_path / "user"
    user.mkdir()
    if form == "pyc":
        py_compile.compile(str(source), str(user / "sitecustomize.pyc"))
    else:
        user = tmp_path / "user.zip"
        with zipfile.ZipFile(user, "w") as archive:
            archive.write(source, "sitecustomize.py")
    done = step().run("pass", python=sys.executable, extra_path=[user])
    assert (done.code, done.out, done.err) == (0, "compiled sitecustomize\n", "")


@pytest.mark.parametrize("version", ("2.7", "3.9", "3.13"))
@pytest.mark.parametrize(
    "statement", ("raise SystemExit(3)", "raise KeyboardInterrupt", "import os; os._exit(4)")
)
def test_a_sitecustomize_that_ends_the_interpreter_ends_it(statement, version, step, tmp_path):
    python, lain, user = python_or_skip(version), step(), tmp_path / "user"
    write(user, {"sitecustomize.py": statement})
    shim, plain = (run("print(1)", python=python, step=s, extra_path=[user]) for s in (lain, None))
    assert (shim.code, shim.out) == (plain.code, plain.out)
    assert shim.out == "" and shim.code != 0
    assert shim.err.splitlines()[-1:] == plain.err.splitlines()[-1:]


def test_usercustomize_runs_after_sitecustomize(step, tmp_path):
    user = tmp_path / "user"
    write(user, {"sitecustomize.py": "print('site')", "usercustomize.py": "print('user')"})
    base = python_or_skip("3.11")
    shim, plain = (run("print('end')", python=base, step=s, extra_path=[user]) for s in (step(), None))
    assert (
        (shim.code, shim.out, shim.err) == (plain.code, plain.out, plain.err) == (0, "site\nuser\nend\n", "")
    )


@pytest.mark.parametrize(
    "setting", ({"PYTHONSAFEPATH": "1"}, {"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONNOUSERSITE": "1"})
)
def test_environment_settings_of_python_do_not_hide_us(setting, step):
    done = step().run("import torch", python=python_or_skip("3.11"), tiny=True, env=setting)
    assert done.receipt["recorder"]["state"] == "idle"


@pytest.mark.parametrize("flag", ("-I", "-E", "-S"))
def test_flags_that_hide_us_hide_us_in_silence(flag, step):
    program = f"import sys; sys.path.append({str(TINY)!r}); import torch"
    done = step().run(program, python=python_or_skip("3.11"), flags=[flag])
    assert (done.code, done.out, done.err, done.receipts) == (0, "", "", [])


PROGRAMS = {
    "probe": """
        import importlib.util
        for _ in range(3):
            assert importlib.util.find_spec("torch").loader is not None
        import torch
    """,
    "probe and load by hand": """
        import importlib.util, sys
        spec = importlib.util.find_spec("torch")
        sys.modules["torch"] = torch = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(torch)
    """,
    "lazy loader": """
        import importlib.util, sys
        spec = importlib.util.find_spec("torch")
        spec.loader = importlib.util.LazyLoader(spec.loader)
        sys.modules["torch"] = torch = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(torch)
        torch.version
    """,
    "failed first": """
        import os
        os.environ["TINY_TORCH"] = "broken"
        try:
            import torch
        except RuntimeError:
            os.environ["TINY_TORCH"] = ""
        import torch
    """,
    "reload": "import torch, importlib; importlib.reload(torch); importlib.reload(torch)",
    "import again": "import torch, sys; del sys.modules['torch']; import torch",
    "threads": """
        import threading
        threads = [threading.Thread(target=__import__, args=("torch",)) for _ in range(8)]
        [t.start() for t in threads]; [t.join() for t in threads]
    """,
    "cleared path": """
        import sys
        sys.path[:] = [p for p in sys.path if "oom-autopsy" not in p]
        import torch
    """,
    "changed folder": "import os; os.chdir('/'); import torch",
    "finder in front": """
        import sys, importlib.util
        class Patcher:                       # as wrapt's and ddtrace's: searches again from within
            inside = False
            def find_spec(self, name, path=None, target=None):
                if name != "torch" or self.inside:
                    return None
                self.inside = True
                try:
                    spec = importlib.util.find_spec(name)
                finally:
                    self.inside = False
                loader, inner = spec.loader, spec.loader.exec_module
                def exec_module(module):
                    inner(module)
                    print("patched", module.__name__)
                loader.exec_module = exec_module
                return spec
        sys.meta_path.insert(0, Patcher())
        import torch
    """,
    "finder behind": """
        import sys, importlib.util
        class Patcher:
            inside = False
            def find_spec(self, name, path=None, target=None):
                if name != "torch" or self.inside:
                    return None
                self.inside = True
                try:
                    return importlib.util.find_spec(name)
                finally:
                    self.inside = False
        sys.meta_path.insert(1, Patcher())
        import torch
    """,
    "old finder": """
        import sys
        class Old:
            def find_module(self, name, path=None):
                return None
        sys.meta_path.insert(0, type("Bare", (), {"find_spec": staticmethod(lambda *a: None)})())
        import torch
    """,
}


@pytest.mark.parametrize("version", rarely(("3.9", "3.13"), ("3.13",)))
@pytest.mark.parametrize("kind", PROGRAMS)
def test_torch_is_met_however_it_is_imported(kind, version, step):
    python, lain = python_or_skip(version), step()
    end = (
        "\nimport sys\nprint(len([f for f in sys.meta_path if hasattr(f, 'oom_autopsy')]), torch.__version__)"
    )
    program = textwrap.dedent(PROGRAMS[kind]) + ("\nimport torch" if "threads" in kind else "") + end
    shim = run(program, python=python, step=lain, tiny=True)
    plain = run(program, python=python, tiny=True)
    assert (shim.code, shim.out, shim.err) == (plain.code, plain.out, plain.err)
    assert shim.code == 0, shim.err
    assert [r["recorder"]["state"] for r in shim.receipts] == ["idle"], (
        "one receipt, however often torch was executed"
    )


@pytest.mark.parametrize("version", SUPPORTED)
def test_a_failing_import_prints_what_it_always_did(version, step):
    python, lain = python_or_skip(version), step()
    shim, plain = (
        run("import torch", python=python, step=s, tiny=True, env={"TINY_TORCH": "broken"})
        for s in (lain, None)
    )
    assert (shim.code, shim.out, shim.err) == (plain.code, plain.out, plain.err)
    assert shim.code == 1 and shim.receipts == []


def test_a_warning_at_import_names_the_importing_line(step, tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("import warnings; warnings.warn('old', stacklevel=2)\n")
    script = tmp_path / "script.py"
    script.write_text("\nimport torch\n")
    python = python_or_skip("3.11")
    shim, plain = (run("", step=s, argv=[python, str(script)], extra_path=[tmp_path]) for s in (step(), None))
    assert shim.theirs == plain.theirs
    assert "script.py:2" in plain.err


@pytest.mark.parametrize("arrangement", ("twice", "link", "nested"))
def test_two_shims_on_the_path_act_once(arrangement, step, tmp_path):
    outer = step()
    if arrangement == "twice":
        extra = [outer.path, tmp_path, outer.path]
    elif arrangement == "link":
        (tmp_path / "link").symlink_to(outer.path)
        extra = [tmp_path / "link"]
    else:
        extra = [step().path]
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "sitecustomize.py").write_text("print('user')\n")
    program = (
        "import torch; torch.cuda.allocate(1); print(len(torch._C.observers), len(torch._C.state['calls']))"
    )
    done = outer.run(
        program, python=python_or_skip("3.11"), tiny=True, extra_path=[*extra, tmp_path / "user"]
    )
    assert (done.code, done.out, done.err) == (0, "user\n1 1\n", "")
    assert len(done.receipts) == 1


def test_torch_already_imported_by_a_pth_file_is_met(step, tmp_path):
    """site reads .pth files before sitecustomize."""
    subprocess.run([python_or_skip("3.11"), "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "early.pth").write_text(f"{TINY}\nimport torch\n")
    python = tmp_path / "venv" / "bin" / "python"
    done = step().run("import sys; sys.modules['torch'].cuda.allocate(1)", python=python)
    assert (done.code, done.err) == (0, "")
    assert done.receipt["recorder"]["state"] == "disarmed"


def test_a_step_laid_by_hand_needs_no_other_variable(tmp_path):
    """PYTHONPATH alone survives tox, sudo and docker's arguments."""
    root = tmp_path / "lain"
    root.mkdir()
    lain = Step(root)
    env = {"PYTHONPATH": os.pathsep.join([str(lain.path), str(TINY)])}
    done = subprocess.run(
        [sys.executable, "-c", "import torch; torch.cuda.allocate(1)"], env=env, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert lain.receipts()[0]["recorder"]["state"] == "disarmed"


def test_a_launcher_that_would_shadow_us_does_not(step, tmp_path):
    """As opentelemetry-instrument: a folder first on PYTHONPATH, whose sitecustomize runs no other, then
    exec."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "sitecustomize.py").write_text("print('theirs')\n")
    launcher = tmp_path / "opentelemetry-instrument"
    launcher.write_text(
        f"import os, sys\nos.environ['PYTHONPATH'] = {str(tmp_path / 'theirs')!r} + ':' + os.environ['PYTHONPATH']\n"
        "sys.stdout.flush()\nos.execl(sys.executable, sys.executable, *sys.argv[1:])\n"
    )
    argv = [python_or_skip("3.11"), str(launcher), "-c", "import torch; torch.cuda.allocate(1); print('end')"]
    shim, plain = (run("", argv=argv, step=s, tiny=True) for s in (step(), None))
    assert (shim.code, shim.out, shim.err) == (plain.code, plain.out, plain.err) == (0, "theirs\nend\n", "")
    assert shim.receipt["recorder"]["state"] == "disarmed"
