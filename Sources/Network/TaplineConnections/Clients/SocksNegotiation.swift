// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet

/// The SOCKS negotiation with a client before bytes pass (RFC 1928, RFC 1929).
///
/// ```
/// methods ──┬──────────────────▶ request ──▶ a target
///           └▶ user, password ──▲
/// ```
/// **Shape**: each call gets all bytes that are not consumed yet.
package struct SocksNegotiation {
    /// The next step.
    package enum Step: Equatable {
        /// More bytes are needed.
        case incomplete
        /// Send this reply; the client speaks next.
        case answer([UInt8])
        /// The client requests a connection to `host:port`; reply once it is open or has failed.
        case connect(String)
        /// Send this reply and close.
        case refuse([UInt8])
    }

    /// The first byte of every message of a SOCKS 5 client, which no HTTP request begins with.
    package static let version: UInt8 = 5

    private enum Phase {
        case methods
        case password
        case request
    }

    /// The number of bytes that were received and sent as replies.
    package private(set) var byteCounts = (up: 0, down: 0)
    private let credentials: BasicCredentials?
    private var phase = Phase.methods

    /// Makes a negotiation with a client that needs these credentials, if any.
    package init(_ credentials: BasicCredentials?) { self.credentials = credentials }

    /// Reads the next bytes.
    ///
    /// Returns the next step and the number of consumed bytes.
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

    // MARK: Messages of the client

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

    /// Returns an address in the form of a URL's authority; a name stays unchanged.
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

    /// Returns the reply to a request (RFC 1928 §6); the address is empty, since clients ignore it.
    package static func reply(_ code: UInt8) -> [UInt8] { [version, code, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// Returns the reply code for a failed request.
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
