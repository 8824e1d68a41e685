// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import TaplineOperations

@Suite("Listening sockets that outlive their sources")
struct ListeningSocketsTests {
    private final class User {}

    private final class WeakSocket {
        weak var socket: ListeningSocket?

        init(_ socket: ListeningSocket?) { self.socket = socket }
    }

    private let first = User()
    private let second = User()

    /// A descriptor of its own.
    private func descriptor() -> Int32 { dup(STDERR_FILENO) }

    /// Returns whether the sockets at an address are still open.
    private func isOpen(_ sockets: ListeningSockets, _ address: String) -> Bool {
        !sockets.take(address, by: first).isEmpty
    }

    @Test("close once no source that has taken them is left, but not before one takes them")
    func inherited() {
        let sockets = ListeningSockets()
        for address in ["a", "b", "c"] { sockets.add([descriptor()], for: address) }
        #expect(sockets.unused == ["a", "b", "c"])
        let taken = WeakSocket(sockets.take("a", by: first).first)
        _ = sockets.take("b", by: first)
        _ = sockets.take("b", by: second)
        #expect(taken.socket != nil && sockets.unused == ["c"])
        sockets.removeTaken(exceptBy: [first, second])
        #expect(taken.socket != nil)
        sockets.removeTaken(exceptBy: [second])
        #expect(taken.socket == nil)
        #expect(!isOpen(sockets, "a") && isOpen(sockets, "b") && isOpen(sockets, "c"))
    }

    @Test("close although a new source has the identity of one that had taken them")
    func identityUsedAgain() {
        let sockets = ListeningSockets()
        sockets.add([descriptor()], for: "a")
        let taken = WeakSocket(sockets.take("a", by: first).first)
        _ = sockets.take("a", by: second)
        sockets.removeTaken(exceptBy: [first])
        #expect(taken.socket != nil)
        // Stands for a new source that has not taken them.
        sockets.removeTaken(exceptBy: [second])
        #expect(taken.socket == nil)
    }

    @Test("stay for a source that takes those of its predecessor at the same address")
    func successor() {
        let sockets = ListeningSockets()
        sockets.add([descriptor()], for: "a")
        _ = sockets.take("a", by: first)
        sockets.add([descriptor()], for: "a", owner: first)
        _ = sockets.take("a", by: second)
        sockets.remove(of: first)
        sockets.removeTaken(exceptBy: [second])
        #expect(isOpen(sockets, "a"))
    }
}
