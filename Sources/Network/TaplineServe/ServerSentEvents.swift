// SPDX-License-Identifier: MIT

/// Writes server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
package enum ServerSentEvents {
    /// The value of Content-Type.
    package static let type = "text/event-stream"

    /// Returns the bytes of an event.
    ///
    /// - Parameters:
    ///   - event: The type, without line ends.
    ///   - id: The id that the client sends as Last-Event-ID; `nil` for none.
    ///   - data: The data, in UTF-8; its lines become lines of the event.
    /// - Returns: The bytes.
    package static func event(_ event: String, id: String? = nil, data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        if let id { bytes.append(contentsOf: "id: \(id)\n".utf8) }
        bytes.append(contentsOf: "event: \(event)\n".utf8)
        // A line may end with CR, LF or both.
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.endsLine) {
            bytes.append(contentsOf: "data: ".utf8)
            bytes += line
            bytes.append(0x0A)
        }
        bytes.append(0x0A)
        return bytes
    }

    /// A comment, which keeps the connection alive.
    package static let comment = Array(":\n\n".utf8)
}

extension UInt8 {
    fileprivate var endsLine: Bool { self == 0x0A || self == 0x0D }
}
