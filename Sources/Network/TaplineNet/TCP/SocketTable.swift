// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The kernel's table of TCP sockets as text (proc_pid_net(5)).
///
/// ```
///   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
///    0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 21507 1
/// ```
enum SocketTable {
    /// Returns the owner of the socket with these ends; `nil` if it is not in the table.
    ///
    /// A socket without an inode no longer belongs to a process, and its user is 0.
    static func owner(of ends: PeerOwners.Ends, in table: Span<UInt8>) -> PeerOwner? {
        var start = 0
        while start < table.count {
            let rest = table.extracting(start...)
            let length = rest.firstIndex(of: 0x0A) ?? rest.count
            if let owner = owner(of: ends, line: rest.extracting(..<length)) { return owner }
            start += length + 1
        }
        return nil
    }

    private static func owner(of ends: PeerOwners.Ends, line: Span<UInt8>) -> PeerOwner? {
        var at = 0
        _ = nextWord(in: line, &at)
        guard address(nextWord(in: line, &at), in: line) == ends.local.plain,
            address(nextWord(in: line, &at), in: line) == ends.remote.plain
        else { return nil }
        // State, queues, timer, retransmissions.
        for _ in 0..<4 { _ = nextWord(in: line, &at) }
        let user = line.extracting(nextWord(in: line, &at)).decimal
        _ = nextWord(in: line, &at)
        let inode = line.extracting(nextWord(in: line, &at)).decimal
        guard let user, let user = UInt32(exactly: user), let inode, inode != 0 else {
            return .noProcess
        }
        return .user(user)
    }

    /// Returns the range of the next word; empty at the end.
    private static func nextWord(in line: Span<UInt8>, _ at: inout Int) -> Range<Int> {
        while at < line.count, line[at] == 0x20 { at += 1 }
        let start = at
        while at < line.count, line[at] != 0x20 { at += 1 }
        return start..<at
    }

    /// Parses a hexadecimal address: 32-bit words in the processor's byte order, then the port.
    private static func address(_ range: Range<Int>, in line: Span<UInt8>) -> SocketAddress? {
        let text = line.extracting(range)
        guard let colon = text.firstIndex(of: 0x3A), colon == 8 || colon == 32,
            let port = hexadecimal(text.extracting((colon + 1)...)),
            let number = UInt16(exactly: port)
        else { return nil }
        var words: [UInt64] = []
        for start in stride(from: 0, to: colon, by: 8) {
            guard let word = hexadecimal(text.extracting(start..<start + 8)) else { return nil }
            words.append(UInt64(UInt32(bigEndian: word)))
        }
        let ip =
            words.count == 1
            ? IPAddress(v4: UInt32(truncatingIfNeeded: words[0]))
            : IPAddress(v6High: words[0] << 32 | words[1], low: words[2] << 32 | words[3])
        return SocketAddress(ip.unmapped, port: number)
    }

    private static func hexadecimal(_ digits: Span<UInt8>) -> UInt32? {
        guard (1...8).contains(digits.count) else { return nil }
        var value: UInt32 = 0
        for index in digits.indices {
            guard let digit = Character(Unicode.Scalar(digits[index])).hexDigitValue else {
                return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

extension SocketAddress {
    /// The address as it appears in a table: without a scope, and mapped IPv4 as IPv4.
    fileprivate var plain: SocketAddress { SocketAddress(ip.unmapped, port: port) }
}
