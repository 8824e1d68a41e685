// SPDX-License-Identifier: MIT

import Glibc
import TaplineSystem
import TestSupport
import Testing

@Suite("Child processes")
struct ChildProcessTests {
    private func sh(
        _ script: String,
        seconds: Int = 60,
        maxBytes: Int = 65_536
    ) throws
        -> ChildProcess.Report
    {
        try ChildProcess.run(
            ["/bin/sh", "-c", script, "sh", "a b"],
            environment: ["WHAT": "=x=", "PATH": "/usr/bin:/bin"],
            seconds: seconds,
            maxBytes: maxBytes
        )
    }

    @Test("get arguments and variables, and their output is read to the end")
    func output() throws {
        let report = try sh("echo \"$1$WHAT\"; echo error >&2; exec 1>&2; env | sort; exit 3")
        #expect(report.ending?.code == 3)
        #expect(!report.isSuccess)
        let lines = report.text.split(separator: "\n")
        #expect(lines.prefix(2) == ["a b=x=", "error"])
        #expect(lines.contains("WHAT==x=") && !lines.contains { $0.hasPrefix("HOME=") })
        #expect(try sh("exit 0").isSuccess)
        #expect(try sh("kill -TERM $$").ending?.code == 128 + SIGTERM)
    }

    @Test("have no input, and default signal actions")
    func environment() throws {
        signal(SIGPIPE, SIG_IGN)
        let report = try sh("cat; kill -PIPE $$; echo survived")
        #expect(report.ending?.code == 128 + SIGPIPE)
        #expect(report.text == "")
    }

    @Test("are killed with their own children when they time out")
    func timeLimit() throws {
        let report = try sh("sleep 600 & echo $!; sleep 600", seconds: 1)
        #expect(report.ending == nil && !report.isSuccess)
        let sleeper = try #require(Int32(report.text.dropLast()))
        // Its parent is gone, so the init process reaps it.
        blockingWait(for: "the program's child to end") { !isRunning(sleeper) }
    }

    private func isRunning(_ id: Int32) -> Bool {
        // A process that has exited but not been reaped has no command line (proc(5)).
        guard let file = try? File("/proc/\(id)/cmdline", for: .read) else { return false }
        var bytes: [UInt8] = []
        return ((try? file.read(appendingTo: &bytes, atMost: 100)) ?? 0) > 0
    }

    @Test("may write any amount, of which the start is kept")
    func limit() throws {
        let report = try sh("head -c 1000000 /dev/zero | tr '\\0' x", maxBytes: 1000)
        #expect(report.isSuccess)
        #expect(report.text == String(repeating: "x", count: 1000))
    }

    @Test("are found like a shell finds them")
    func find() throws {
        #expect(ChildProcess.find("sh", in: "/nowhere:/bin:/usr/bin") == "/bin/sh")
        #expect(ChildProcess.find("sh", in: "/nowhere") == nil)
        #expect(ChildProcess.find("sh", in: nil) == nil)
        #expect(ChildProcess.find("/bin/sh", in: nil) == "/bin/sh")
        // Folders and files that are not executable are not programs.
        #expect(ChildProcess.find("etc", in: "/") == nil)
        #expect(ChildProcess.find("passwd", in: "/etc") == nil)
        #expect(!ChildProcess.isAnywhere("etc", in: "/"))
        #expect(!ChildProcess.isAnywhere("nsswitch.conf", in: "/bin"))
        #expect(ChildProcess.isAnywhere("passwd", in: "/nowhere:/etc"))
        #expect(ChildProcess.isAnywhere("/etc/passwd", in: nil))
        #expect(ChildProcess.isAnywhere("/etc", in: nil))
        let error = #expect(throws: FileError.self) {
            _ = try ChildProcess.run(["/nowhere/x"], environment: [:])
        }
        #expect(error?.isMissing == true)
    }
}
