# SPDX-License-Identifier: MIT
"""Listeners, terminals and namespaces inside the namespace."""

import ctypes
import errno
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import time

from records import is_record


def inside(check):
    """Listeners inside the namespace, and the helper that leads to them."""
    # The queue of the listener is full until it accepts.
    busy = ("import socket,time,threading\nl=socket.socket();l.bind(('127.0.0.1',8101));l.listen(0)\n"
            "cs=[socket.create_connection(('127.0.0.1',8101)) for _ in range(4)]\n"
            "for c in cs: c.sendall(b'GET /busy HTTP/1.0\\r\\n\\r\\n')\n"
            "time.sleep(0.7)\n"
            "def serve():\n"
            " while True:\n  a,_=l.accept();a.recv(1000);a.sendall(b'HTTP/1.0 200 OK\\r\\n\\r\\nbusy');a.close()\n"
            "threading.Thread(target=serve,daemon=True).start()\n"
            "for c in cs: c.settimeout(9);print(c.makefile().read())\n")
    result, _ = check.run(["/usr/bin/python3", "-c", busy])
    check.expect(result.stdout.count("busy") == 4 and "hello" not in result.stdout,
                 "a busy listener inside is waited for", result.stdout + result.stderr)
    single = ("import http.server as h\nclass H(h.BaseHTTPRequestHandler):\n protocol_version='HTTP/1.1'\n"
              " def do_GET(s):\n  s.send_response(200);s.send_header('Content-Length','6');s.end_headers()\n"
              "  s.wfile.write(b'inner\\n')\n def log_message(s,*a): pass\n"
              "h.HTTPServer(('127.0.0.1',8101),H).serve_forever()\n")
    (check.work / "single.py").write_text(single)
    start = ("/usr/bin/python3 single.py & p=$!; for i in $(seq 100); do "
             "curl -s -m 2 http://127.0.0.1:8101/ | grep -q inner && break; sleep 0.05; done; ")
    result, _ = check.run(["sh", "-c", start + "curl -sS -m 3 http://127.0.0.1:8101/; kill $p"])
    check.expect("inner" in result.stdout, "a server with one thread gets its next client at once", result.stderr)
    result, _ = check.run(["sh", "-c", start + "kill -STOP $PPID; (sleep 1.5; kill -CONT $PPID) & "
                           "curl -sS -m 8 http://127.0.0.1:8101/; kill $p"])
    check.expect("inner" in result.stdout, "a helper that was stopped goes on", result.stdout + result.stderr)
    result, _ = check.run(["sh", "-c", "kill -STOP $PPID; exit 3"])
    check.expect(result.returncode == 3, "the end of the command is noticed if the helper is stopped",
                 f"{result.returncode} {result.stderr}")
    result, records = check.run(["sh", "-c", "kill -9 $PPID; sleep 0.2; curl -sS http://shop.test/k; "
                                 "curl -sS -m 5 http://127.0.0.1:8101/no; exit 3"])
    check.expect(result.returncode == 125 and "exit code of the command is unknown" in result.stderr,
                 "a helper that was killed is reported", f"{result.returncode} {result.stderr}")
    check.expect("hello /k" in result.stdout and any(is_record(r, "GET", "http://shop.test/k", 200) for r in records),
                 "the command goes on without it, and is seen", result.stdout + result.stderr)
    check.expect("hello /no" not in result.stdout, "nothing outside takes the place of a listener inside", result.stdout)
    thief = ("import socket,subprocess,threading\nl=socket.socket();l.bind(('127.0.0.1',3128));l.listen(9)\n"
             "def steal():\n while True: a,_=l.accept();print('stolen',a.recv(1000),flush=True);a.close()\n"
             "threading.Thread(target=steal,daemon=True).start()\n"
             "for u in ('http://203.0.113.7:8101/p','http://127.0.0.1:8101/l'):\n"
             " print(subprocess.run(['curl','-sS',u],capture_output=True,text=True).stdout,flush=True)\n")
    result, _ = check.run(["/usr/bin/python3", "-c", thief], "--set",
                          "proxy.parent={ url: 'http://127.0.0.1:3128', user: me, password_env: PARENT_PASSWORD }",
                          PARENT_PASSWORD="secret")
    check.expect("from parent http://203.0.113.7:8101/p True" in result.stdout and "stolen" not in result.stdout,
                 "a program inside cannot take the place of the parent proxy", result.stdout + result.stderr)
    check.expect("hello /l" in result.stdout, "loopback addresses are not the parent's", result.stdout + result.stderr)


def hardship(check):
    """A helper that has no file descriptor left for a while, and one that cannot run; only root may do that to it."""
    short = ("import os,resource as r,subprocess\nhelper=os.getppid()\n"
             "def get(): return ['hello' in subprocess.run(['curl','-sS','-m','5','http://127.0.0.1:8101/s'],"
             "capture_output=True,text=True).stdout for _ in range(8)]\n"
             "n=next(n for n in range(9999) if not os.path.exists(f'/proc/{helper}/fd/{n}'))\n"
             "hard=r.prlimit(helper,r.RLIMIT_NOFILE)[1]\n"
             "former=r.prlimit(helper,r.RLIMIT_NOFILE,(n,hard))\nprint(any(get()),flush=True)\n"
             "r.prlimit(helper,r.RLIMIT_NOFILE,former)\nprint(all(get()))\n")
    result, _ = check.run(["/usr/bin/python3", "-c", short], time_limit=120)
    check.expect(result.stdout.split() == ["False", "True"],
                 "loopback addresses work again after a shortage of file descriptors", result.stdout + result.stderr)
    # PTRACE_SEIZE and PTRACE_INTERRUPT.
    held = ("import ctypes,os,time\nlibc=ctypes.CDLL(None);helper=os.getppid();r,w=os.pipe()\n"
            "if os.fork()==0:\n os.close(r);failed=[libc.ptrace(n,helper,None,None) for n in (0x4206,0x4207)]\n"
            " os.write(w,b'%d' % any(failed));os.close(w);time.sleep(3);os._exit(0)\n"
            "os.close(w);print(os.read(r,1),flush=True);os._exit(3)\n")
    result, _ = check.run(["/usr/bin/python3", "-c", held])
    if "b'0'" not in result.stdout:
        print("exec_all: SKIPPED: this system does not allow ptrace, so a helper that is held up", file=sys.stderr)
        return
    check.expect(result.returncode == 3, "the exit code is known even if the helper cannot run for 3 seconds",
                 f"{result.returncode} {result.stderr}")


def terminals(check):
    """Programs that need a terminal, with and without the namespace."""
    for options in ([], ["--all"]):
        words = [word for word in check.words(["true"]) if word not in ("true", "--all")]
        place = words.index("exec") + 1
        words[place:place] = options
        name = " ".join(["exec", *options])
        output, code = in_terminal([*words, "sh", "-c", "test -t 0 && test -t 1 && echo on $(tty)"], check)
        check.expect(code == 0 and "on /dev/pts/" in output, f"the terminal is that of the command ({name})", output)
        trap = "trap 'echo caught; exit 6' INT; echo ready; while :; do sleep 0.05; done"
        output, code = in_terminal([*words, "sh", "-c", trap], check, sending=b"\x03")
        check.expect(code == 6 and "caught" in output, f"control-C is for the command ({name})", f"{code} {output}")
        shell = "case $- in *i*) echo it is interactive;; esac; exit 4"
        output, code = in_terminal([*words, "bash", "--norc", "-ic", shell], check)
        check.expect(code == 4 and "it is interactive" in output, f"an interactive shell works ({name})",
                     f"{code} {output}")
        if shutil.which("script"):
            output, code = in_terminal([*words, "script", "-qec", "tty; exit 8", "/dev/null"], check)
            check.expect(code == 8 and "/dev/pts/" in output, f"a program makes a terminal of its own ({name})",
                         f"{code} {output}")


def in_terminal(words, check, sending=None):
    """Runs a command in a terminal of its own, and sends it keys once it prints `ready`."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(check.work)
        os.execvpe(words[0], words, check.environment)
    output = b""
    end = time.monotonic() + 30
    while time.monotonic() < end and select.select([terminal], [], [], 30)[0]:
        try:
            output += os.read(terminal, 4096)
        except OSError:
            break
        if sending and b"ready" in output:
            os.write(terminal, sending)
            sending = None
    else:
        os.kill(process, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(terminal)
    return output.decode(errors="replace"), code


def nested(check):
    """Namespaces within the namespace, and systems that forbid them."""
    user = ["unshare", "--user", "--map-root-user"]
    if subprocess.run([*user, "true"], capture_output=True).returncode != 0:
        print("exec_all: SKIPPED: unshare makes no user namespace", file=sys.stderr)
        return
    check.sees("a program in a user namespace of its own", [*user, "curl", "-sS", "http://shop.test/n"], "hello /n",
               "GET", "http://shop.test/n")
    result, records = check.run([*user, "--net", "sh", "-c", "grep -c : /proc/net/dev; exit 9"])
    check.expect(result.returncode == 9 and result.stdout.strip() == "1" and not records,
                 "a program may leave the network", result.stdout + result.stderr)
    result, _ = check.run(["sh", "-c", "(sleep 0.3; echo late) & exit 4"])
    check.expect(result.returncode == 4 and "still run" in result.stderr,
                 "the code is the command's even if its children go on", f"{result.returncode} {result.stderr}")
    limits = "for n in user net; do echo 0 > /proc/sys/user/max_${n}_namespaces; done; exec \"$@\""
    # Root of a user namespace, as which no other user exists.
    limited = check.words(["true"])
    limited = [*user, "sh", "-c", limits, "-", *limited[limited.index(str(check.tapline)):]]
    for name, words, more, reason in (("a limit of 0", limited, {}, "sysctl user.max_user_namespaces="),
                                      ("seccomp", check.words(["true"]), {"preexec_fn": forbid_unshare}, "EPERM")):
        result = subprocess.run(words, capture_output=True, text=True, timeout=30,
                                cwd=check.work, env=check.environment, **more)
        check.expect(result.returncode == 1 and "the system does not allow '--all'" in result.stderr
                     and reason in result.stderr and "help: run it without '--all'" in result.stderr,
                     f"the message names what forbids it ({name})", f"{result.returncode} {result.stderr}")


def forbid_unshare():
    """Makes unshare(2) fail with EPERM, as a container's seccomp profile does."""
    number = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
    program = b"".join(struct.pack("HBBI", *step) for step in (
        (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.EPERM), (0x06, 0, 0, 0x7FFF0000)))
    code = ctypes.create_string_buffer(program)
    filter = struct.pack("HxxxxxxP", 4, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.c_char_p(filter), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def users(check):
    """Programs that switch users, without root."""
    result, _ = check.run(["setpriv", f"--reuid={check.user.pw_uid + 1}", "true"])
    check.expect("note: 'setpriv' switches users, which needs root" in result.stderr,
                 "a program that switches users is noted", result.stderr)
    result, _ = check.run(["true"])
    check.expect("needs root" not in result.stderr, "another one is not", result.stderr)
