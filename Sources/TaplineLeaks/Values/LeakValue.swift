// SPDX-License-Identifier: MIT

/// A value that must not occur anywhere, and what reports call it.
public struct LeakValue: Sendable {
    /// Shorter values would be found by chance.
    public static let minBytes = 4
    /// Longer values would need more context than the scanner keeps.
    public static let maxBytes = 8 << 10

    /// Where the value comes from, such as `secrets.txt:3` or `API_TOKEN`; never the value itself.
    public let name: String
    let bytes: [UInt8]

    /// A value with its name; `nil` if it is shorter than `minBytes` or longer than `maxBytes`.
    ///
    /// - Parameters:
    ///   - bytes: The value, as plain as it gets.
    ///   - name: What reports call it.
    public init?(_ bytes: [UInt8], name: String) {
        guard LeakValue.minBytes...LeakValue.maxBytes ~= bytes.count else { return nil }
        self.bytes = bytes
        self.name = name
    }
}
