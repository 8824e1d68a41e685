// SPDX-License-Identifier: MIT

/// The id that relates an exchange to others and to server logs.
public enum Correlation {
    /// The tag that holds the id if a stage has found it.
    public static let tag = "correlation"

    /// The maximum length of an id found without a stage, in bytes.
    package static let maxBytes = 128

    /// Finds the id of an exchange.
    ///
    /// This is the id that a stage has noted, otherwise the trace id of `traceparent`, otherwise
    /// `x-request-id`; the request is searched before the response.
    public static func find(in exchange: borrowing Exchange) -> ByteString? {
        if !exchange.tags.isEmpty, let id = exchange.tags[tag] { return ByteString(id) }
        if let id = find(in: exchange.request.fields) { return id }
        return exchange.response.flatMap { find(in: $0.fields) }
    }

    /// The trace id of `traceparent`, otherwise `x-request-id`.
    package static func find(in fields: FieldSection) -> ByteString? {
        if let position = fields.firstIndex(of: "traceparent"),
            let id = traceID(fields.value(at: position))
        {
            return id
        }
        guard let position = fields.firstIndex(of: "x-request-id") else { return nil }
        let value = fields.value(at: position)
        guard !value.isEmpty, value.count <= maxBytes else { return nil }
        for index in value.indices where !(0x20...0x7E ~= value[index]) { return nil }
        return ByteString(value)
    }

    /// The lower 56 bits of a `traceparent`'s trace id, which tracing tools sample by; `nil` if the
    /// value has no valid trace id.
    ///
    /// **Source**: W3C Trace Context level 2, section 3.2.2.3.
    package static func traceRandomness(_ value: Span<UInt8>) -> UInt64? {
        guard value.count >= 55, value[2] == .ascii("-"), value[35] == .ascii("-") else {
            return nil
        }
        var (bits, isZero): (UInt64, Bool) = (0, true)
        for index in 3..<35 {
            guard let digit = value[index].hexDigit else { return nil }
            isZero = isZero && digit == 0
            bits = bits << 4 | UInt64(digit)
        }
        return isZero ? nil : bits & (1 << 56 - 1)
    }

    /// The second part of `version-traceid-parentid-flags`: 32 hexadecimal digits, not all zero.
    ///
    /// **Source**: W3C Trace Context, section 3.2. Capital letters are invalid there; they are
    /// converted to lower case.
    package static func traceID(_ value: Span<UInt8>) -> ByteString? {
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
