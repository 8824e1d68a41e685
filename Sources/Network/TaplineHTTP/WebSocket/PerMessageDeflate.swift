// SPDX-License-Identifier: MIT

package import TaplineModel

/// The negotiated parameters of compressed messages (RFC 7692).
@frozen
package struct PerMessageDeflate: Sendable, Equatable {
    /// Whether the server begins each message with an empty window.
    package var serverNoContextTakeover = false
    /// Whether the client begins each message with an empty window.
    package var clientNoContextTakeover = false
    /// The size of the server's window as a power of two, 8 to 15.
    package var serverMaxWindowBits = 15
    /// The size of the client's window as a power of two, 8 to 15.
    package var clientMaxWindowBits = 15

    /// Parses the Sec-WebSocket-Extensions of a 101 response; `nil` if the first extension is
    /// another one, or a parameter is invalid.
    ///
    /// **Source**: RFC 6455 §9.1, RFC 7692 §7.1.
    package init?(response fields: FieldSection) {
        guard let position = fields.firstIndex(of: "sec-websocket-extensions") else { return nil }
        let value = fields.value(at: position)
        let end = value.firstIndex(of: .ascii(",")) ?? value.count
        var start = 0
        var isFirst = true
        while start <= end {
            let found = value.firstIndex(of: .ascii(";"), from: start) ?? end
            let part = value.extracting(value.trimmed(start..<Swift.min(found, end)))
            if isFirst {
                guard part.equalsIgnoringCase("permessage-deflate") else { return nil }
                isFirst = false
            } else {
                guard read(part) else { return nil }
            }
            start = found + 1
        }
    }

    /// Parses one parameter.
    ///
    /// Returns whether it is valid.
    private mutating func read(_ part: Span<UInt8>) -> Bool {
        let equals = part.firstIndex(of: .ascii("=")) ?? part.count
        let name = part.extracting(part.trimmed(0..<equals))
        let hasValue = equals < part.count
        if name.equalsIgnoringCase("server_no_context_takeover") {
            serverNoContextTakeover = true
            return !hasValue
        }
        if name.equalsIgnoringCase("client_no_context_takeover") {
            clientNoContextTakeover = true
            return !hasValue
        }
        guard hasValue else { return false }
        var range = part.trimmed(equals + 1..<part.count)
        // RFC 6455 §9.1: a value may be quoted.
        if range.count >= 2, part[range.lowerBound] == .ascii("\""),
            part[range.upperBound - 1] == .ascii("\"")
        {
            range = range.lowerBound + 1..<range.upperBound - 1
        }
        guard let bits = part.extracting(range).decimal, 8...15 ~= bits else { return false }
        if name.equalsIgnoringCase("server_max_window_bits") {
            serverMaxWindowBits = bits
            return true
        }
        clientMaxWindowBits = bits
        return name.equalsIgnoringCase("client_max_window_bits")
    }
}
