// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What ties an exchange to others and to the logs of a server.
enum Correlation {
    static let maxBytes = 128

    /// The trace id of `traceparent`, or else `x-request-id`, of the request or else the response.
    static func find(in exchange: Exchange) -> ByteString? {
        if let id = find(in: exchange.request.fields) { return id }
        return exchange.response.flatMap { find(in: $0.fields) }
    }

    static func find(in fields: FieldSection) -> ByteString? {
        if let position = fields.firstIndex(of: "traceparent"),
            let id = traceID(fields.value(at: position))
        {
            return id
        }
        guard let position = fields.firstIndex(of: "x-request-id") else { return nil }
        let value = fields.value(at: position)
        guard !value.isEmpty, value.count <= maxBytes, Texts.isText(value) else { return nil }
        return ByteString(value)
    }

    /// The second part of `version-traceid-parentid-flags`: 32 hexadecimal digits, not all zero.
    ///
    /// **Source**: W3C Trace Context, section 3.2. Capitals are wrong there and made small here.
    static func traceID(_ value: Span<UInt8>) -> ByteString? {
        guard value.count >= 55, value[2] == .ascii("-"), value[35] == .ascii("-") else {
            return nil
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(32)
        var isZero = true
        for index in 3..<35 {
            guard value[index].hexDigit != nil else { return nil }
            isZero = isZero && value[index] == .ascii("0")
            digits.append(value[index].asciiLowercased)
        }
        return isZero ? nil : ByteString(digits)
    }
}
