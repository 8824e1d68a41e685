// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@Suite("A program that reads what this process writes")
struct PipedProcessTests {
    private func start(_ script: String, _ file: String) throws -> PipedProcess {
        try PipedProcess(
            ["/bin/sh", "-c", script],
            environment: ["FILE": file, "PATH": "/usr/bin:/bin"]
        )
    }

    @Test("gets all bytes, then the end, and reports its exit code")
    func all() throws {
        let folder = try TemporaryFolder()
        let process = try start("cat > \"$FILE\"; exit 3", folder("out"))
        let bytes = Array(repeating: UInt8(ascii: "x"), count: 300_000)
        try process.write(bytes.span)
        try process.write("end".utf8.span)
        let ending = try process.finish()
        #expect(ending.code == 3)
        #expect(try folder.bytes("out") == bytes + Array("end".utf8))
    }

    @Test("may stop reading, which is an error of writing only")
    func early() throws {
        let folder = try TemporaryFolder()
        let process = try start("head -c 4 > \"$FILE\"", folder("out"))
        let bytes = Array(repeating: UInt8(ascii: "y"), count: 300_000)
        var isClosed = false
        do {
            for _ in 0..<100 { try process.write(bytes.span) }
        } catch {
            isClosed = error.isClosed
        }
        let ending = try process.finish()
        #expect(isClosed)
        #expect(ending.isSuccess)
        #expect(try folder.read("out") == "yyyy")
    }

    @Test("opens its input again, which needs a pipe")
    func reopened() throws {
        let folder = try TemporaryFolder()
        let process = try start("cat /dev/stdin > \"$FILE\"", folder("out"))
        try process.write("a".utf8.span)
        let ending = try process.finish()
        #expect(ending.isSuccess)
        #expect(try folder.read("out") == "a")
    }
}
