"""A handler for SIGTERM that is a few machine instructions: it writes one byte to a pipe and returns.

Why not one that exists: what a handler may do in any thread, at any instant, is a handful of system calls, and nothing in
libc or CPython that takes a signal's number does just that and leaves Python's table of handlers alone. faulthandler.register
is close, and was used: asked for the current thread, it writes nothing in a thread that Python does not know (OpenBLAS's,
NCCL's, one of Python's own in its first microseconds) and the signal is lost (1 of some 300 programs that were starting a
thread); asked for all threads, it walks the frames of threads that run, and 49 of 1,000 programs died of SIGSEGV.

In a forked child that has the handler but not our thread, it puts the default back and sends the signal again.

The code is in a page that is written first and made executable after, never both; the kernel brings the instruction cache up
to date as it does. Where that is refused (SELinux's execmem), and on other machines than these two, there is no handler.
"""

import ctypes
import mmap
import os
import signal
import struct
import sys

# Data follow the code at DATA: the pid that it was made for, the pipe's end, and zeros. The zeros are the byte that is written,
# and the kernel's struct sigaction for SIG_DFL (handler, flags, restorer, mask: 8 bytes each).
DATA = 0x60
CODE = {
    "x86_64": """
        f3 0f 1e fa           endbr64
        b8 27 00 00 00        mov eax, 0x27
        0f 05                 syscall                       ; getpid()
        3b 05 4f 00 00 00     cmp eax, dword ptr [rip + 0x4f]
        75 1a                 jne 0x2d
        8b 3d 4b 00 00 00     mov edi, dword ptr [rip + 0x4b]
        48 8d 35 48 00 00 00  lea rsi, [rip + 0x48]
        ba 01 00 00 00        mov edx, 1
        b8 01 00 00 00        mov eax, 1
        0f 05                 syscall                       ; write(end, zeros, 1)
        c3                    ret
        41 89 c0              mov r8d, eax
        bf 0f 00 00 00        mov edi, 0xf
        48 8d 35 2c 00 00 00  lea rsi, [rip + 0x2c]
        31 d2                 xor edx, edx
        41 ba 08 00 00 00     mov r10d, 8
        b8 0d 00 00 00        mov eax, 0xd
        0f 05                 syscall                       ; rt_sigaction(SIGTERM, zeros, NULL, 8)
        44 89 c7              mov edi, r8d
        be 0f 00 00 00        mov esi, 0xf
        b8 3e 00 00 00        mov eax, 0x3e
        0f 05                 syscall                       ; kill(getpid(), SIGTERM)
        c3                    ret
    """,
    "aarch64": """
        5f 24 03 d5  bti c
        88 15 80 d2  mov x8, #0xac
        01 00 00 d4  svc #0                                 ; getpid()
        a9 02 00 18  ldr w9, #0x60
        1f 00 09 6b  cmp w0, w9
        e1 00 00 54  b.ne #0x30
        60 02 00 18  ldr w0, #0x64
        61 02 00 10  adr x1, #0x68
        22 00 80 d2  mov x2, #1
        08 08 80 d2  mov x8, #0x40
        01 00 00 d4  svc #0                                 ; write(end, zeros, 1)
        c0 03 5f d6  ret
        ea 03 00 2a  mov w10, w0
        e0 01 80 d2  mov x0, #0xf
        81 01 00 10  adr x1, #0x68
        02 00 80 d2  mov x2, #0
        03 01 80 d2  mov x3, #8
        c8 10 80 d2  mov x8, #0x86
        01 00 00 d4  svc #0                                 ; rt_sigaction(SIGTERM, zeros, NULL, 8)
        e0 03 0a 2a  mov w0, w10
        e1 01 80 d2  mov x1, #0xf
        28 10 80 d2  mov x8, #0x81
        01 00 00 d4  svc #0                                 ; kill(getpid(), SIGTERM)
        c0 03 5f d6  ret
    """,
}
SA_ONSTACK, SA_RESTART = 0x08000000, 0x10000000


class _Action(ctypes.Structure):
    """glibc's struct sigaction on both machines."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ulong * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


_address = None  # of our handler, once made


def listing(machine):
    """Pairs of (bytes, text) of `machine`'s instructions."""
    rows = (line.partition(";")[0].strip().split("  ", 1) for line in CODE[machine].strip().splitlines())
    return [(bytes.fromhex(code), text.strip()) for code, text in rows]


def page(machine, pid, end):
    """The handler's page for a process and the end of a pipe to write to. A machine that is not in CODE: KeyError."""
    code = b"".join(row[0] for row in listing(machine))
    return code.ljust(DATA, b"\0") + struct.pack("<Ii32x", pid, end)


def install(end):
    """Makes SIGTERM write a byte to the file descriptor `end`. False, with nothing changed, where that cannot be."""
    global _address
    machine = os.uname().machine
    if sys.platform != "linux" or machine not in CODE or struct.calcsize("P") != 8:
        return False
    libc, content = ctypes.CDLL(None), page(machine, os.getpid(), end)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 4)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    # By libc, not Python's mmap: the page must outlive the interpreter, as the handler does.
    address = libc.mmap(
        None, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0
    )
    if address in (None, ctypes.c_void_p(-1).value):
        return False
    ctypes.memmove(address, content, len(content))
    if libc.mprotect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
        return False
    if _set(_Action(handler=address, flags=SA_ONSTACK | SA_RESTART)):
        _address = address
        return True
    return False


def remove():
    """Puts SIGTERM's default back where our handler stands; one that was set since stays."""
    global _address
    if _address is None:
        return
    now = _Action()
    if _set(None, now) and now.handler == _address:
        _set(_Action())
    _address = None


def _set(new, old=None):
    sigaction = ctypes.CDLL(None).sigaction
    sigaction.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    pointers = [None if action is None else ctypes.addressof(action) for action in (new, old)]
    return sigaction(signal.SIGTERM, *pointers) == 0
