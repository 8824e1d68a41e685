// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The id of a trace: 16 bytes, not all zero.
struct TraceID: Equatable {
    let high: UInt64
    let low: UInt64
}

/// The field `traceparent` of a request, which names the caller's span.
///
/// **Source**: W3C Trace Context, §3.2.
struct TraceParent: Equatable {
    let trace: TraceID
    /// The caller's span; not zero.
    let span: UInt64
    /// The trace flags; bit 0 says that the caller has sampled the trace.
    let flags: UInt8

    /// Parses the field; `nil` if it is missing, repeated or invalid.
    init?(_ fields: borrowing FieldSection) {
        guard let position = fields.firstIndex(of: "traceparent"),
            fields.firstIndex(of: "traceparent", from: position + 1) == nil
        else { return nil }
        self.init(fields.value(at: position))
    }

    /// Parses a value such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    init?(_ value: Span<UInt8>) {
        guard value.count >= 55,
            value[2] == .ascii("-"), value[35] == .ascii("-"), value[52] == .ascii("-"),
            let version = Self.hex(value, 0..<2), version != 0xFF,
            // Later versions may append fields.
            value.count == 55 || (version > 0 && value[55] == .ascii("-")),
            let high = Self.hex(value, 3..<19), let low = Self.hex(value, 19..<35),
            let span = Self.hex(value, 36..<52), let flags = Self.hex(value, 53..<55),
            high != 0 || low != 0, span != 0
        else { return nil }
        trace = TraceID(high: high, low: low)
        self.span = span
        self.flags = UInt8(truncatingIfNeeded: flags)
    }

    /// Parses lower-case digits, at most 16 of them.
    private static func hex(_ value: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in range {
            guard let digit = value[index].hexDigit, !(0x41...0x46 ~= value[index]) else {
                return nil
            }
            number = number << 4 | UInt64(digit)
        }
        return number
    }
}
