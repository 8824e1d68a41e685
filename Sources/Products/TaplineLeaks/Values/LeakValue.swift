// SPDX-License-Identifier: MIT

/// A value that must not occur, and its name in reports.
package struct LeakValue: Sendable {
    /// The minimum length; shorter values would be found by chance.
    package static let minBytes = 4
    /// The maximum length; longer values would need more context than the scanner keeps.
    package static let maxBytes = 8 << 10

    /// The origin of the value, such as `secrets.txt:3` or `API_TOKEN`; never the value itself.
    package let name: String
    let bytes: [UInt8]

    /// Makes a value with a name; `nil` if it is shorter than `minBytes` or longer than `maxBytes`.
    ///
    /// - Parameters:
    ///   - bytes: The value, without any encoding.
    ///   - name: Its name in reports.
    package init?(_ bytes: [UInt8], name: String) {
        guard LeakValue.minBytes...LeakValue.maxBytes ~= bytes.count else { return nil }
        self.bytes = bytes
        self.name = name
    }
}
