// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// A whole request to the server.
package struct ServedRequest: Sendable {
    /// The request as it was received.
    package let request: Request
    /// Whether it was addressed to a proxy, or a proxy has forwarded it.
    package let isForwarded: Bool
    /// The decoded segments of the path; `nil` if the path is not one that this server could have.
    package let segments: [String]?

    /// The address of the client; `nil` if it is unknown.
    package internal(set) var client: IPAddress?

    /// Creates a request from its head and body.
    package init(_ head: consuming RequestHead, body: [UInt8] = []) {
        isForwarded = head.form != .origin || head.hasVia || head.request.fields.isForwarded
        segments = Self.segments(head.request.target.span)
        var request = head.request
        request.body = Body(body)
        self.request = request
    }

    /// The method.
    package var method: String { request.method.description }

    /// The bytes of the body.
    package var body: [UInt8] { request.body.bytes }

    /// Returns the first value of a field, without spaces around it; `nil` if there is none.
    package func field(_ name: String) -> String? {
        request.fields.first(name).map { String(decoding: Array(copying: $0.span), as: UTF8.self) }
    }

    /// Returns the first value of a name in the query, decoded; `nil` if there is none.
    package func query(_ name: String) -> String? {
        let target = request.target
        let bytes = target.span
        guard let range = TargetParts(bytes).query else { return nil }
        var items = QueryItems(range)
        while let item = items.next(in: bytes) {
            let found = PercentEncoding.decode(bytes.extracting(item.name), plusIsSpace: true)
            guard found.span.equals(name) else { continue }
            let value = PercentEncoding.decode(bytes.extracting(item.value), plusIsSpace: true)
            return String(decoding: value, as: UTF8.self)
        }
        return nil
    }

    /// Splits and decodes a path; an encoded slash, a dot segment or odd bytes make it invalid.
    private static func segments(_ target: Span<UInt8>) -> [String]? {
        let path = target.extracting(TargetParts(target).path)
        guard !path.isEmpty, path[0] == .ascii("/") else { return nil }
        var segments: [String] = []
        var start = 1
        while start <= path.count {
            let end = path.firstIndex(of: .ascii("/"), from: start) ?? path.count
            let bytes = PercentEncoding.decode(path.extracting(start..<end), plusIsSpace: false)
            let isOdd = bytes.contains { $0 < 0x20 || $0 == 0x7F || $0 == .ascii("/") }
            guard !isOdd, let text = String(validating: bytes, as: UTF8.self), text != ".",
                text != ".."
            else { return nil }
            segments.append(text)
            start = end + 1
        }
        return segments
    }
}

extension FieldSection {
    /// Whether a proxy has noted that it forwarded the message (RFC 7239, RFC 9110 §7.6.3).
    fileprivate var isForwarded: Bool {
        ["Via", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host"].contains { contains($0) }
    }
}
