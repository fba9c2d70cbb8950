#!/usr/bin/env python3
"""Build the CUDA stand-in for one installation of torch: `VENV/bin/python lab/standins/cuda/build.py`.

Reads which CUDA libraries torch's own libraries need and which symbols they take from them, and writes one
library for each name (SONAME), with that library's symbol version: functions of src/ where there are some,
and for every other symbol a stub. They go where torch's libraries look for them, beside themselves: `$ORIGIN`
is the last entry of their RPATH, behind the folders of the nvidia wheels. So no loader runs when Python
starts, LD_LIBRARY_PATH plays no part, and where the nvidia wheels are installed they win.

Needs gcc and binutils (readelf, nm), and the headers of the wheel nvidia-cuda-runtime, in their own folder:
`VENV/bin/pip install --no-deps --target VENV/cuda-headers nvidia-cuda-runtime==13.0.96`.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "src"

# Beside torch's libraries: here lies what they are not linked against (the core, and what they open by name).
PRIVATE = "oom-autopsy-standin"
CORE = "liboa_standin_core.so"

# Folder of the environment for the headers' wheel. Not site-packages: the wheel brings a real libcudart, and
# that would win.
HEADERS = "cuda-headers"

# Libraries torch opens with dlopen; the runtime loads them so that they are there by then.
OPENED_BY_NAME = ("libcuda.so.1", "libnvidia-ml.so.1")

# Sources of a library, by the name before `.so`.
BY_HAND = {
    "libcudart": ("device.c", "memory.c", "streams.c", "graphs.c", "kernels.c", "driver.c"),
    "libcublas": ("lib_cublas.c",),
    "libcublasLt": ("lib_cublasLt.c",),
    "libcuda": ("lib_cuda.c", "lib_cuda_forward.c"),
    "libcudnn": ("lib_cudnn.c",),
    "libcusparse": ("lib_cusparse.c",),
    "libnccl": ("lib_nccl.c",),
    "libnvidia-ml": ("lib_nvml.c",),
    "libnvrtc": ("lib_nvrtc.c",),
}

# What a stub answers, by library: success (0) where a call computes or sets something that no one can check;
# where callers ask for sizes and handles and would go on with something they did not get, the library's own
# code for "not supported" (cusolver: of the matrix type, which torch can name; nvrtc: its internal error).
ANSWERS = {
    "libcuda": 801,
    "libcudart": 801,
    "libcufft": 16,
    "libcufile": 5001,
    "libcusolver": 8,
    "libcusparse": 10,
    "libcusparseLt": 10,
    "libnvrtc": 11,
}

# Symbols without a version are told apart by how their names begin (libcuda last: others begin like it too).
PREFIXES = {
    "libcudart": r"(__)?cuda[A-Z]",
    "libcufile": r"cuFile",
    "libnccl": r"nccl",
    "libnvrtc": r"nvrtc",
    "libcudnn": r"cudnn",
    "libcublasLt": r"cublasLt",
    "libcublas": r"cublas(?!Lt)",
    "libcusparseLt": r"cusparseLt",
    "libcusparse": r"cusparse(?!Lt)",
    "libcusolver": r"cusolver",
    "libcufft": r"cufft",
    "libcurand": r"curand",
    "libcupti": r"cupti",
    "libnvshmem_host": r"_*nvshmem|.*nvshmem",
    "libnvToolsExt": r"nvtx",
    "libnvidia-ml": r"nvml",
    "libcuda": r"cu[A-Z]",
}

CUDA_LIBRARY = re.compile(r"lib(cu|nv|nccl)[A-Za-z_-]*\.so(\.\d+)*$")


@dataclass
class Library:
    """A library to build: its SONAME and the symbols torch takes from it."""

    soname: str
    symbols: set[str] = field(default_factory=set)
    version: str | None = None

    @property
    def stem(self) -> str:
        return self.soname.split(".so")[0]


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed_names(library: Path) -> set[str]:
    """SONAMEs a library is linked against."""
    return set(re.findall(r"\(NEEDED\).*\[(.*?)\]", output_of("readelf", "-d", str(library))))


def defined_symbols(library: Path) -> set[str]:
    lines = output_of("nm", "-D", "--defined-only", str(library)).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def undefined_symbols(library: Path) -> set[tuple[str, str]]:
    """(name, version) of each symbol a library takes from another; the version is empty where it has none."""
    found = set()
    for line in output_of("nm", "-D", "--undefined-only", str(library)).splitlines():
        name, _, version = line.split()[-1].partition("@")
        found.add((name, version.lstrip("@")))
    return found


def owner_of(name: str, version: str, libraries: dict[str, Library]) -> Library | None:
    """The CUDA library a symbol belongs to; None for one of the C library, of torch and so on."""
    if version in libraries:
        return libraries[version]
    by_stem = {library.stem: library for library in libraries.values()}
    if version and not version.startswith(("NVSHMEM", "lib")):
        return None
    for stem, pattern in PREFIXES.items():
        if stem in by_stem and re.match(pattern, name):
            return by_stem[stem]
    return None


def wanted_libraries(torch_lib: Path) -> list[Library]:
    """The CUDA libraries that torch's libraries in a folder need, with the symbols they need of each."""
    with ThreadPoolExecutor() as pool:
        paths = sorted(torch_lib.glob("*.so"))
        needed = set().union(*pool.map(needed_names, paths))
        defined = set().union(*pool.map(defined_symbols, paths))
        undefined = set().union(*pool.map(undefined_symbols, paths))
    sonames = {name for name in needed if CUDA_LIBRARY.match(name)}
    if not sonames:
        return []
    libraries = {name: Library(name) for name in sonames | set(OPENED_BY_NAME)}
    for name, version in sorted(undefined):
        owner = None if name in defined else owner_of(name, version, libraries)
        if owner:
            owner.symbols.add(name)
            owner.version = owner.version or version or None
    return sorted(libraries.values(), key=lambda library: library.soname)


def compile_library(out: Path, soname: str, sources: list[Path], flags: list[str]) -> None:
    """Compile one shared library; a failure shows the compiler's words and ends the build."""
    command = [
        "gcc",
        "-std=gnu11",
        "-O2",
        "-Wall",
        "-Wno-unused-parameter",
        "-shared",
        "-fPIC",
        f"-Wl,-soname,{soname}",
    ]
    command += ["-I", str(SOURCES), "-o", str(out), *map(str, sources), *flags, "-lpthread", "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    if done.stderr:
        print(done.stderr, file=sys.stderr)


def build_library(
    library: Library, out: Path, include: Path, work: Path, needs: list[Path]
) -> tuple[int, int]:
    """Build one CUDA library. Returns how many of torch's symbols are in src/, and how many are stubs."""
    sources = [SOURCES / name for name in BY_HAND.get(library.stem, ())]
    folder = out / PRIVATE if library.soname in OPENED_BY_NAME else out
    written: set[str] = set()
    flags = ["-I", str(include), "-I", str(SOURCES / "include")]
    if sources:
        objects = []
        for source in sources:
            made = work / f"{library.soname}-{source.stem}.o"
            command = ["gcc", "-std=gnu11", "-O2", "-Wall", "-Wno-unused-parameter", "-fPIC", "-c", *flags]
            done = subprocess.run(
                [*command, "-I", str(SOURCES), "-o", str(made), str(source)], capture_output=True, text=True
            )
            if done.returncode or done.stderr:
                sys.exit(f"{source}\n{done.stderr}")
            written |= {
                line.split()[-1] for line in output_of("nm", "--defined-only", "-g", str(made)).splitlines()
            }
            objects.append(made)
        sources = objects
    missing = sorted(name for name in library.symbols - written if re.fullmatch(r"[A-Za-z_]\w*", name))
    answer = ANSWERS.get(library.stem, 0)
    stubs = work / f"{library.soname}.c"
    stubs.write_text('#include "stub.h"\n' + "".join(f"OA_STUB({name}, {answer})\n" for name in missing))
    if library.version:
        script = work / f"{library.soname}.map"
        script.write_text(f"{library.version} {{ global: *; }};\n")
        flags.append(f"-Wl,--version-script={script}")
    origin = "$ORIGIN" if folder.name == PRIVATE else f"$ORIGIN/{PRIVATE}"
    flags += [f"-Wl,-rpath,{origin}", "-Wl,--disable-new-dtags", "-Wl,--no-as-needed", *map(str, needs)]
    compile_library(folder / library.soname, library.soname, [*sources, stubs], flags)
    return len(library.symbols & written), len(missing)


def build(torch_lib: Path, include: Path, out: Path, devices: int | None) -> None:
    libraries = wanted_libraries(torch_lib)
    if not libraries:
        print("cuda stand-in: this torch needs no CUDA libraries, nothing to build")
        return
    real = real_runtime(torch_lib)
    if real:
        sys.exit(f"cuda stand-in: not built, this torch would use the real runtime in {real}")
    private = out / PRIVATE
    work = private / "build"
    shutil.rmtree(private, ignore_errors=True)
    work.mkdir(parents=True)
    core = private / CORE
    fixed = [] if devices is None else [f"-DOA_FIXED_DEVICES={devices}"]
    compile_library(
        core, CORE, [SOURCES / "settings.c", SOURCES / "ledger.c"], ["-fvisibility=hidden", *fixed]
    )

    def make(library: Library) -> str:
        needs = [core]
        if library.stem == "libcudart":
            needs += [private / name for name in OPENED_BY_NAME]
        by_hand, stubs = build_library(library, out, include, work, needs)
        return f"{library.soname}: {by_hand} functions, {stubs} stubs, version {library.version or 'none'}"

    first = [library for library in libraries if library.soname in OPENED_BY_NAME]
    rest = [library for library in libraries if library.soname not in OPENED_BY_NAME]
    with ThreadPoolExecutor(4) as pool:
        for group in (first, rest):
            for line in pool.map(make, group):
                print(line)
    shutil.rmtree(work)


def package_folder(name: str) -> Path | None:
    """Folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) if places else None


def default_include() -> Path | None:
    """Folder with cuda_runtime_api.h of the wheel nvidia-cuda-runtime, in HEADERS of the environment."""
    found = sorted(Path(sys.prefix, HEADERS).glob("nvidia/*/include/cuda_runtime_api.h"))
    return found[0].parent if found else None


def real_runtime(torch_lib: Path) -> Path | None:
    """A CUDA runtime that torch finds before ours: an nvidia wheel's, in a folder of its RPATH."""
    entries = re.findall(
        r"R(?:UN)?PATH\).*\[(.*?)\]", output_of("readelf", "-d", str(torch_lib / "libc10_cuda.so"))
    )
    folders = [
        Path(entry.replace("$ORIGIN", str(torch_lib))) for entry in ":".join(entries).split(":") if entry
    ]
    found = [
        path
        for folder in folders
        for path in folder.glob("libcudart.so.*")
        if folder.resolve() != torch_lib.resolve()
    ]
    return found[0].resolve() if found else None


def main() -> None:
    torch = package_folder("torch")
    parser = argparse.ArgumentParser(description="Build the CUDA stand-in for one installation of torch.")
    parser.add_argument(
        "--torch-lib", type=Path, default=torch and torch / "lib", help="folder of torch's libraries"
    )
    parser.add_argument(
        "--include", type=Path, default=default_include(), help="folder of cuda_runtime_api.h"
    )
    parser.add_argument("--out", type=Path, help="where the libraries go; default: beside those of torch")
    parser.add_argument(
        "--devices", type=int, help="a fixed number of devices, whatever OA_STANDIN_DEVICES says"
    )
    options = parser.parse_args()
    if not options.torch_lib or not options.torch_lib.is_dir():
        sys.exit("cuda stand-in: torch is not installed here; name its lib folder with --torch-lib")
    if not options.include:
        sys.exit(
            "cuda stand-in: cuda_runtime_api.h is missing; install nvidia-cuda-runtime==13.0.96 into "
            + HEADERS
        )
    for tool, package in (("gcc", "gcc"), ("readelf", "binutils"), ("nm", "binutils")):
        if not shutil.which(tool):
            sys.exit(f"cuda stand-in: {tool} is missing; sudo apt-get install {package} libc6-dev")
    build(options.torch_lib, options.include, options.out or options.torch_lib, options.devices)


if __name__ == "__main__":
    main()
