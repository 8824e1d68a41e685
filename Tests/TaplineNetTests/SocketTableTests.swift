// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineNet

@Suite("The kernel's table of sockets")
struct SocketTableTests {
    /// Rows in the kernel's format.
    ///
    /// The columns from the queues on are the same, except user and inode.
    private static let table =
        [
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
            row(0, "0100007F:1F90 00000000:0000", "0A", user: 0, inode: 1137),
            row(1, "0100007F:C001 0100007F:1F90", "01", user: 1000, inode: 21_507),
            row(2, "0100007F:C002 0100007F:1F90", "04", user: 0, inode: 0),
            row(
                3,
                "0000000000000000FFFF00000100007F:C003 0000000000000000FFFF00000100007F:1F90",
                "01",
                user: 1001,
                inode: 9
            ),
            row(
                4,
                "B80D0120000000000000000001000000:C004 B80D0120000000000000000002000000:1F90",
                "01",
                user: 1002,
                inode: 9
            ),
        ].joined(separator: "\n") + "\n"

    private static func row(
        _ number: Int,
        _ ends: String,
        _ state: String,
        user: Int,
        inode: Int
    ) -> String {
        "   \(number): \(ends) \(state) 00000000:00000000 00:00000000 00000000  \(user)        0 "
            + "\(inode) 1 0000000072ec6012 100 0 0 10 0"
    }

    private func owner(_ local: String, _ remote: String, in table: String = table) -> PeerOwner? {
        guard let local = SocketAddress(local), let remote = SocketAddress(remote) else {
            return nil
        }
        return SocketTable.owner(
            of: PeerOwners.Ends(local: local, remote: remote),
            in: table.utf8.span
        )
    }

    @Test(
        "has the owner of each socket",
        arguments: [
            ("127.0.0.1:49153", "127.0.0.1:8080", PeerOwner.user(1000)),
            // Without an inode it belongs to no process.
            ("127.0.0.1:49154", "127.0.0.1:8080", .noProcess),
            // An IPv6 socket that uses IPv4.
            ("127.0.0.1:49155", "127.0.0.1:8080", .user(1001)),
            ("[2001:db8::1]:49156", "[2001:db8::2]:8080", .user(1002)),
            // Neither the listener nor the other end.
            ("127.0.0.1:8080", "127.0.0.1:49153", nil),
            ("127.0.0.1:49157", "127.0.0.1:8080", nil),
            ("[2001:db8::2]:49156", "[2001:db8::1]:8080", nil),
        ]
    )
    func rows(local: String, remote: String, expected: PeerOwner?) {
        #expect(owner(local, remote) == expected)
    }

    @Test("contains no owner if it is truncated at any byte, or malformed")
    func broken() {
        let bytes = Array(Self.table.utf8)
        for end in 0..<bytes.count {
            let part = String(decoding: bytes[..<end], as: UTF8.self)
            let found = owner("127.0.0.1:49153", "127.0.0.1:8080", in: part)
            #expect(found == nil || found == .noProcess || found == .user(1000))
        }
        for text in ["1: : :", "x", "1: 0100007F:C001 0100007F:1F90", "1: 0100007F:C001C001C 0:0"] {
            #expect(
                owner("127.0.0.1:49153", "127.0.0.1:8080", in: text) ?? .noProcess == .noProcess
            )
        }
        let wrong = Self.table.replacing("  1000  ", with: " -1000  ")
        #expect(owner("127.0.0.1:49153", "127.0.0.1:8080", in: wrong) == .noProcess)
    }
}
