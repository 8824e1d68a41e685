// SPDX-License-Identifier: MIT

import Glibc
import TaplineSystem
import Testing

@Suite("A connection to a program of this machine")
struct FileConnectingTests {
    /// The two ends of a connection.
    private static func connect() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let status = unsafe socketpair(AF_UNIX, kind, 0, &ends)
        try #require(status == 0)
        return ends
    }

    @Test("is given up if the other end goes on sending for too long")
    func trickle() throws {
        let ends = try Self.connect()
        let other = ends[1]
        let file = File(owning: ends[0], named: "a program")
        // It ends with a failure once this end is closed; a second is the limit if it is not.
        let sender = try DedicatedThread.start {
            for _ in 0..<1000 {
                guard unsafe send(other, "x", 1, Int32(MSG_NOSIGNAL)) == 1 else { break }
                usleep(1000)
            }
            close(other)
        }
        defer { sender.join() }
        var failure: FileError?
        do throws(FileError) {
            _ = try file.receiveAll(atMost: 1 << 20, within: 20_000)
        } catch {
            failure = error
        }
        try file.close()
        #expect(failure?.isTimeout == true)
    }

    @Test("is read to its end")
    func whole() throws {
        let ends = try Self.connect()
        let file = File(owning: ends[0], named: "a program")
        let sent = unsafe send(ends[1], "hello", 5, 0)
        #expect(sent == 5)
        close(ends[1])
        let received = try file.receiveAll(atMost: 100, within: 5_000_000)
        #expect(received == Array("hello".utf8))
    }
}
