// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Span<UInt8> {
    /// Whether a method, a version, a field name or an address does not look like one: recordings
    /// contain arbitrary text.
    ///
    /// Four bytes cannot contain a name, a sign and a value.
    var isImplausibleName: Bool {
        count > 4 && firstIndex(ofEither: .ascii("="), 0x20, from: 0) < count
    }

    /// Whether there is a blank, which a URL cannot contain.
    var hasBlank: Bool { firstIndex(of: .ascii(" ")) != nil }
}
