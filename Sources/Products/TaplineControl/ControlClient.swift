// SPDX-License-Identifier: MIT

package import TaplineOperations
internal import TaplineSystem

/// Asks a control listener of this machine, one request a connection.
///
/// **Isolation**: any thread; a call blocks it, for about 15 seconds at most.
package struct ControlClient: Sendable {
    /// The answer of a listener.
    package struct Answer: Sendable {
        /// The status code.
        package let status: Int
        /// The body.
        package let body: [UInt8]
    }

    /// The largest answer, in bytes.
    private static let maxBytes = 16 << 20
    /// How long an answer may take to arrive, in microseconds.
    private static let maxTime: Int64 = 10_000_000

    /// The listener.
    package let address: ControlAddress
    /// The token for changes; `nil` if there is none.
    private let token: String?

    /// Creates a client.
    package init(_ address: ControlAddress, token: String? = nil) {
        self.address = address
        self.token = token
    }

    /// Sends a request and waits for the answer.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path.
    ///   - accept: The types that are wanted.
    ///   - seconds: How long each call of the system may take.
    /// - Returns: The answer.
    /// - Throws: `ControlClientError` if nothing listens, or if the answer is not HTTP.
    package func call(
        _ method: String,
        _ path: String,
        accepting accept: String = "application/json",
        seconds: Int = 5
    ) throws(ControlClientError) -> Answer {
        let bytes: [UInt8]
        do throws(FileError) {
            let file: File
            let host: String
            switch address {
            case .loopback(let name, let port):
                let plain = name.filter { $0 != "[" && $0 != "]" }
                file = try File(connectingTo: port, ofLoopback: plain, seconds: seconds)
                host = "\(name):\(port)"
            case .socket(let path):
                file = try File(connectingToSocket: path, seconds: seconds)
                host = "localhost"
            }
            var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nAccept: \(accept)\r\n"
            head += "Connection: close\r\nContent-Length: 0\r\n"
            if let token { head += "Authorization: Bearer \(token)\r\n" }
            try file.write(Array((head + "\r\n").utf8).span)
            bytes = try file.receiveAll(atMost: Self.maxBytes, within: Self.maxTime)
        } catch {
            throw ControlClientError(error, address)
        }
        guard let answer = Self.answer(bytes) else {
            throw ControlClientError("'\(address)' is not a Tapline control listener")
        }
        return answer
    }

    /// Parses a whole response, whose end is that of the connection; `nil` if it is none.
    static func answer(_ bytes: [UInt8]) -> Answer? {
        // The status line is `HTTP/1.1 200 …` (RFC 9112 §4).
        guard bytes.count > 12, bytes.starts(with: "HTTP/1.1 ".utf8),
            let status = Int(String(decoding: bytes[9..<12], as: UTF8.self)),
            let end = bytes.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A])
        else { return nil }
        return Answer(status: status, body: Array(bytes[end.upperBound...]))
    }
}

/// Why a control listener does not answer.
package struct ControlClientError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    package let description: String
    /// What to do about it; `nil` if nothing is known.
    package let help: String?

    init(_ description: String, help: String? = nil) {
        self.description = description
        self.help = help
    }

    fileprivate init(_ error: FileError, _ address: ControlAddress) {
        if error.isRefused || error.isMissing {
            let help = "set 'runtime: { control: \(address) }' in the pipeline, and run it"
            self.init("nobody listens at '\(address)'", help: help)
        } else if error.isTimeout {
            self.init("'\(address)' does not answer in time")
        } else {
            self.init("\(error)")
        }
    }
}
