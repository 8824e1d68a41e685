// SPDX-License-Identifier: MIT

import TaplineModel

extension Request {
    /// Host with its port, and the target's path and query: what a line has room for.
    ///
    /// Without user-info; the target alone where no host is known.
    var shortTarget: [UInt8] {
        let bytes = target.span
        var result: [UInt8] = []
        let authority = self.authority.span
        let start = authority.lastIndex(of: .ascii("@")).map { $0 + 1 } ?? 0
        result.append(copying: authority.extracting(start..<authority.count))
        // The authority-form of CONNECT (RFC 9112 §3.2.3) says again what the authority says.
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
    /// The size on the wire or, where that is not known, of what is kept whole.
    var shownSize: Int? { size ?? (isTruncated || bytes.isEmpty ? nil : bytes.count) }
}

extension Exchange {
    /// The word for what went wrong; `nil` if nothing did.
    var failureWord: String? {
        if let error, !error.code.isEmpty { return error.code }
        return state == .completed ? nil : state.name
    }
}
