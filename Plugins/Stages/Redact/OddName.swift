// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Span<UInt8> {
    /// Whether a method, a version, a field's name or an address does not look like one: recordings
    /// hold whatever was written into them.
    ///
    /// Four bytes cannot hold a name, a sign and a value.
    var isOddName: Bool {
        count > 4 && firstIndex(ofEither: .ascii("="), 0x20, from: 0) < count
    }

    /// Whether there is a blank, which no URL has.
    var hasBlank: Bool { firstIndex(of: .ascii(" ")) != nil }
}
