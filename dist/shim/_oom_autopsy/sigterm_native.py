"""A handler for SIGTERM that is a few machine instructions: it writes one byte to a pipe and returns.

Why not one that exists: what a handler may do in any thread, at any instant, is a handful of system calls, and nothing in
libc or CPython that takes a signal's number does just that and leaves Python's table of handlers alone. faulthandler.register
is close, and was used: asked for the current thread, it writes nothing in a thread that Python does not know (OpenBLAS's,
NCCL's, one of Python's own in its first microseconds) and the signal is lost (1 of some 300 programs that were starting a
thread); asked for all threads, it walks the frames of threads that run, and 49 of 1,000 programs died of SIGSEGV.

Three times it puts the default back and sends the signal again, so that the process dies at once as without us: in a forked child,
which has the handler but not our thread; for a signal that the process sent to itself, which is over before the next
instruction (what stands behind os.kill(os.getpid(), SIGTERM) does not run); and once it was removed, whoever still calls it.

The code is in a page that is written first and made executable after, never both; the kernel brings the instruction cache up
to date as it does. Where that is refused (SELinux's execmem), and on other machines than these two, there is no handler.
"""

import ctypes
import mmap
import os
import signal
import struct
import sys

# What follows the code: where the data are, in the page behind it; and zeros. The zeros are the byte that is written, and the
# kernel's struct sigaction for SIG_DFL (handler, flags, restorer, mask: 8 bytes each). The data, which change: the pid that the
# handler was made for, 0 once it was removed, and the pipe's end, 4 bytes each.
CONSTANTS = 0x90
CODE = {
    "x86_64": """
        f3 0f 1e fa           endbr64
        4c 8b 0d 85 00 00 00  mov r9, qword ptr [rip + 0x85]
        83 7e 08 00           cmp dword ptr [rsi + 8], 0      ; si_code
        7f 08                 jg 0x19
        8b 46 10              mov eax, dword ptr [rsi + 0x10] ; si_pid
        41 3b 01              cmp eax, dword ptr [r9]         ; the pid that it was made for
        74 24                 je 0x3d
        b8 27 00 00 00        mov eax, 0x27
        0f 05                 syscall                         ; getpid()
        41 3b 01              cmp eax, dword ptr [r9]         ; the same
        75 18                 jne 0x3d
        41 8b 79 04           mov edi, dword ptr [r9 + 4]
        48 8d 35 68 00 00 00  lea rsi, [rip + 0x68]
        ba 01 00 00 00        mov edx, 1
        b8 01 00 00 00        mov eax, 1
        0f 05                 syscall                         ; write(end, zeros, 1)
        c3                    ret
        b8 27 00 00 00        mov eax, 0x27
        0f 05                 syscall                         ; getpid()
        41 89 c0              mov r8d, eax
        bf 0f 00 00 00        mov edi, 0xf
        48 8d 35 45 00 00 00  lea rsi, [rip + 0x45]
        31 d2                 xor edx, edx
        41 ba 08 00 00 00     mov r10d, 8
        b8 0d 00 00 00        mov eax, 0xd
        0f 05                 syscall                         ; rt_sigaction(SIGTERM, zeros, NULL, 8)
        44 89 c7              mov edi, r8d
        be 0f 00 00 00        mov esi, 0xf
        b8 3e 00 00 00        mov eax, 0x3e
        0f 05                 syscall                         ; kill(getpid(), SIGTERM)
        c3                    ret
    """,
    "aarch64": """
        5f 24 03 d5  bti c
        69 04 00 58  ldr x9, #0x90
        2a 08 40 b9  ldr w10, [x1, #8]               ; si_code
        5f 01 00 71  cmp w10, #0
        ac 00 00 54  b.gt #0x24
        2a 10 40 b9  ldr w10, [x1, #0x10]            ; si_pid
        2b 01 40 b9  ldr w11, [x9]                   ; the pid that it was made for
        5f 01 0b 6b  cmp w10, w11
        80 01 00 54  b.eq #0x50
        88 15 80 d2  mov x8, #0xac
        01 00 00 d4  svc #0                          ; getpid()
        2b 01 40 b9  ldr w11, [x9]
        1f 00 0b 6b  cmp w0, w11
        e1 00 00 54  b.ne #0x50
        20 05 40 b9  ldr w0, [x9, #4]
        e1 02 00 10  adr x1, #0x98
        22 00 80 d2  mov x2, #1
        08 08 80 d2  mov x8, #0x40
        01 00 00 d4  svc #0                          ; write(end, zeros, 1)
        c0 03 5f d6  ret
        88 15 80 d2  mov x8, #0xac
        01 00 00 d4  svc #0                          ; getpid()
        ea 03 00 2a  mov w10, w0
        e0 01 80 d2  mov x0, #0xf
        c1 01 00 10  adr x1, #0x98
        02 00 80 d2  mov x2, #0
        03 01 80 d2  mov x3, #8
        c8 10 80 d2  mov x8, #0x86
        01 00 00 d4  svc #0                          ; rt_sigaction(SIGTERM, zeros, NULL, 8)
        e0 03 0a 2a  mov w0, w10
        e1 01 80 d2  mov x1, #0xf
        28 10 80 d2  mov x8, #0x81
        01 00 00 d4  svc #0                          ; kill(getpid(), SIGTERM)
        c0 03 5f d6  ret
    """,
}
SA_SIGINFO, SA_ONSTACK, SA_RESTART = 4, 0x08000000, 0x10000000


class _Action(ctypes.Structure):
    """glibc's struct sigaction on both machines."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ulong * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


_address = None  # of our handler, once made; the data are a page behind it


def listing(machine):
    """Pairs of (bytes, text) of `machine`'s instructions."""
    rows = (line.partition(";")[0].strip().split("  ", 1) for line in CODE[machine].strip().splitlines())
    return [(bytes.fromhex(code), text.strip()) for code, text in rows]


def page(machine, data):
    """The handler's page, for data at the address `data`. A machine that is not in CODE: KeyError."""
    code = b"".join(row[0] for row in listing(machine))
    return code.ljust(CONSTANTS, b"\0") + struct.pack("<Q32x", data)


def install(end):
    """Makes SIGTERM write a byte to the file descriptor `end`. False, with nothing changed, where that cannot be."""
    global _address
    machine = os.uname().machine
    if sys.platform != "linux" or machine not in CODE or struct.calcsize("P") != 8:
        return False
    libc, size = ctypes.CDLL(None), mmap.PAGESIZE
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    # By libc, not Python's mmap: the pages must outlive the interpreter, as the handler does.
    address = libc.mmap(
        None, 2 * size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0
    )
    if address in (None, ctypes.c_void_p(-1).value):
        return False
    content = page(machine, address + size)
    ctypes.memmove(address, content, len(content))
    ctypes.memmove(address + size, struct.pack("<Ii", os.getpid(), end), 8)
    if libc.mprotect(address, size, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
        return False
    if _set(_Action(handler=address, flags=SA_SIGINFO | SA_ONSTACK | SA_RESTART)):
        _address = address
        return True
    return False


def remove(force=False):
    """Makes SIGTERM the default again. A handler that was set over ours since stays (with `force`, goes too), and where it
    calls ours, that is the default."""
    global _address
    if _address is None:
        return
    ctypes.memset(_address + mmap.PAGESIZE, 0, 4)
    now = _Action()
    if force or (_set(None, now) and now.handler == _address):
        _set(_Action())
    _address = None


def _set(new, old=None):
    sigaction = ctypes.CDLL(None).sigaction
    sigaction.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    pointers = [None if action is None else ctypes.addressof(action) for action in (new, old)]
    return sigaction(signal.SIGTERM, *pointers) == 0
