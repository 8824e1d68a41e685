// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet

/// What a client and a SOCKS server say to each other before bytes pass (RFC 1928, RFC 1929).
///
/// ```
/// methods ──┬──────────────────▶ request ──▶ a target
///           └▶ user, password ──▲
/// ```
/// **Shape**: each call gets all bytes that are not consumed yet.
package struct SocksNegotiation {
    /// What follows from what the client has said.
    package enum Step: Equatable {
        /// More has to come.
        case incomplete
        /// This is the answer; the client speaks next.
        case answer([UInt8])
        /// A connection is wanted to `host:port`; it is answered when that is there, or is not.
        case connect(String)
        /// This is the answer, and the end.
        case refuse([UInt8])
    }

    /// The first byte of everything that a client of version 5 says, and of no request of HTTP.
    package static let version: UInt8 = 5

    private enum Phase {
        case methods
        case password
        case request
    }

    /// How many bytes have come in and were answered with.
    package private(set) var byteCounts = (up: 0, down: 0)
    private let credentials: BasicCredentials?
    private var phase = Phase.methods

    /// A negotiation with a client that has to give these, where there are any.
    package init(_ credentials: BasicCredentials?) { self.credentials = credentials }

    /// Reads on; returns the next step and how many of the bytes are consumed.
    package mutating func next(_ bytes: Span<UInt8>) -> (step: Step, consumed: Int) {
        let (step, consumed) =
            switch phase {
            case .methods: readMethods(bytes)
            case .password: readPassword(bytes)
            case .request: readRequest(bytes)
            }
        byteCounts.up += consumed
        switch step {
        case .answer(let reply), .refuse(let reply): byteCounts.down += reply.count
        case .incomplete, .connect: break
        }
        return (step, consumed)
    }

    // MARK: What the client says

    /// `05 count method…` (RFC 1928 §3).
    private mutating func readMethods(_ bytes: Span<UInt8>) -> (Step, Int) {
        guard bytes.count >= 2 else { return (.incomplete, 0) }
        let end = 2 + Int(bytes[1])
        guard bytes[0] == Self.version else { return (.refuse([]), bytes.count) }
        guard bytes.count >= end else { return (.incomplete, 0) }
        let wanted: UInt8 = credentials == nil ? 0 : 2
        guard bytes.extracting(2..<end).firstIndex(of: wanted) != nil else {
            return (.refuse([Self.version, 0xFF]), end)
        }
        phase = credentials == nil ? .request : .password
        return (.answer([Self.version, wanted]), end)
    }

    /// `01 count user… count password…` (RFC 1929 §2).
    private mutating func readPassword(_ bytes: Span<UInt8>) -> (Step, Int) {
        guard bytes.count >= 2 else { return (.incomplete, 0) }
        let userEnd = 2 + Int(bytes[1])
        guard bytes[0] == 1 else { return (.refuse([1, 1]), bytes.count) }
        guard bytes.count > userEnd else { return (.incomplete, 0) }
        let end = userEnd + 1 + Int(bytes[userEnd])
        guard bytes.count >= end else { return (.incomplete, 0) }
        let user = bytes.extracting(2..<userEnd)
        let password = bytes.extracting((userEnd + 1)..<end)
        guard credentials?.matches(user: user, password: password) == true else {
            return (.refuse([1, 1]), end)
        }
        phase = .request
        return (.answer([1, 0]), end)
    }

    /// `05 command 00 type address… port port` (RFC 1928 §4 and §5).
    private func readRequest(_ bytes: Span<UInt8>) -> (Step, Int) {
        guard bytes.count >= 5 else { return (.incomplete, 0) }
        guard bytes[0] == Self.version else { return (.refuse([]), bytes.count) }
        let length: Int
        switch bytes[3] {
        case 1: length = 4
        case 3: length = 1 + Int(bytes[4])
        case 4: length = 16
        default: return (.refuse(Self.reply(8)), bytes.count)
        }
        let end = 4 + length + 2
        guard bytes.count >= end else { return (.incomplete, 0) }
        // CONNECT; neither BIND nor UDP ASSOCIATE.
        guard bytes[1] == 1 else { return (.refuse(Self.reply(7)), end) }
        let host = Self.host(bytes[3], bytes.extracting(4..<(4 + length)))
        let port = Int(bytes[end - 2]) << 8 | Int(bytes[end - 1])
        let authority = "\(host):\(port)"
        guard Authority(authority.utf8.span) != nil else { return (.refuse(Self.reply(8)), end) }
        return (.connect(authority), end)
    }

    /// An address as the authority of a URL has it; a name is taken as it is.
    private static func host(_ type: UInt8, _ bytes: Span<UInt8>) -> String {
        func number(_ range: Range<Int>) -> UInt64 {
            range.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
        }
        return switch type {
        case 1: "\(IPAddress(v4: UInt32(truncatingIfNeeded: number(0..<4))))"
        case 4: "[\(IPAddress(v6High: number(0..<8), low: number(8..<16)))]"
        default: "\(ByteString(bytes.extracting(1..<bytes.count)))"
        }
    }

    // MARK: Replies

    /// The answer to a request (RFC 1928 §6); the address is empty, since clients do not read it.
    package static func reply(_ code: UInt8) -> [UInt8] { [version, code, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// The code of the answer to a request that came to nothing.
    package static func code(of failure: String) -> UInt8 {
        switch failure {
        case "target_denied", "aborted": 2
        case "unreachable": 3
        case "dns", "connect_timeout": 4
        case "connect_refused": 5
        default: 1
        }
    }
}
