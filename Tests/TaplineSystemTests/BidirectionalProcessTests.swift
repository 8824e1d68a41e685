// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineSystem

@Suite("A program that is written to and read from")
struct BidirectionalProcessTests {
    private static let environment = ["PATH": "/usr/bin:/bin"]

    @Test("one that has exited keeps its id and its exit code until its group is killed")
    func exited() throws {
        let program = try BidirectionalProcess(
            ["/bin/sh", "-c", "sleep 60 & exit 7"],
            environment: Self.environment
        )
        blockingWait(for: "the exit of the program") { program.hasExited }
        var output: [UInt8] = []
        // What it has started holds its output open.
        let count = try program.read(.output, appendingTo: &output, atMost: 10)
        #expect(count == nil)
        let code = program.kill()?.code
        #expect(code == 7)
        try blockingWait(for: "the end of its group") {
            try program.read(.output, appendingTo: &output, atMost: 10) == 0
        }
    }

    @Test("one that runs is killed")
    func running() throws {
        let program = try BidirectionalProcess(
            ["/bin/sh", "-c", "read line; echo $line; exec sleep 60"],
            environment: Self.environment
        )
        var (position, output) = (0, [UInt8]())
        try program.write(Array("hello\n".utf8).span, from: &position)
        try blockingWait(for: "its output") {
            _ = try program.read(.output, appendingTo: &output, atMost: 10)
            return output.count == 6
        }
        let hasExited = program.hasExited
        let code = program.kill()?.code
        #expect(!hasExited && code == 137)
    }
}
