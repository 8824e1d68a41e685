// SPDX-License-Identifier: MIT

package import TaplineModel

extension Request {
    /// The host with its port, and the path and query of the target.
    ///
    /// User-info is left out. If the host is unknown, this is the target alone.
    package var shortTarget: [UInt8] {
        let bytes = target.span
        var result: [UInt8] = []
        let authority = self.authority.span
        let start = authority.lastIndex(of: .ascii("@")).map { $0 + 1 } ?? 0
        result.append(copying: authority.extracting(start..<authority.count))
        // The authority-form of CONNECT (RFC 9112 §3.2.3) repeats the authority.
        if !result.isEmpty, method.span.equals("CONNECT") { return result }
        result.append(copying: bytes.extracting(pathRange))
        let query = queryRange
        if !query.isEmpty {
            result.append(.ascii("?"))
            result.append(copying: bytes.extracting(query))
        }
        return result
    }
}

extension Body {
    /// The size on the wire or, if unknown, the size of a completely kept body.
    package var shownSize: Int? { size ?? (isTruncated || bytes.isEmpty ? nil : bytes.count) }
}

extension Exchange {
    /// The size of the request's body on the wire.
    package var shownRequestSize: Int? { Self.shownSize(of: request.body, bytes?.up) }

    /// The size of the response's body on the wire.
    package var shownResponseSize: Int? {
        response.flatMap { Self.shownSize(of: $0.body, bytes?.down) }
    }

    /// The size of a body; if only its decoded form was captured, the size that was counted or
    /// estimated.
    private static func shownSize(of body: borrowing Body, _ bytes: ByteCounts.Direction?) -> Int? {
        guard body.size == nil, body.decodedSize != nil, let bytes else { return body.shownSize }
        return bytes.body
    }

    /// The word for the failure; `nil` if there was none.
    package var failureWord: String? {
        if let error, !error.code.isEmpty { return error.code }
        return state == .completed ? nil : state.name
    }
}
