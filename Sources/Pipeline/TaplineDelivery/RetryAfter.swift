// SPDX-License-Identifier: MIT

package import TaplineModel

/// The field Retry-After (RFC 9110 §10.2.3): a number of seconds, or a date.
package enum RetryAfter {
    /// Returns how long to wait, at most `limit`; `nil` without the field, or if it is neither form.
    package static func delay(
        _ fields: borrowing FieldSection,
        now: Timestamp,
        atMost limit: Microseconds
    ) -> Microseconds? {
        guard let value = fields.first("Retry-After") else { return nil }
        let bytes = value.span
        if !bytes.isEmpty, isDigits(bytes) {
            // A number that does not fit is longer than any limit.
            let seconds = bytes.decimal.map(Int64.init) ?? .max
            return min(Microseconds(seconds.multipliedClamped(by: 1_000_000)), limit)
        }
        guard let date = Timestamp(httpDate: bytes) else { return nil }
        let wait = date.microseconds.subtractingClamped(now.microseconds)
        return min(Microseconds(max(wait, 0)), limit)
    }

    private static func isDigits(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where !(0x30...0x39 ~= bytes[index]) { return false }
        return true
    }
}
