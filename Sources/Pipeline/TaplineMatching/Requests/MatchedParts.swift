// SPDX-License-Identifier: MIT

/// Parts of a request that may have to equal those of a recorded one.
public struct MatchedParts: OptionSet, Sendable {
    /// One bit for each part.
    public let rawValue: Int

    /// Creates parts from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The method.
    public static let method = MatchedParts(rawValue: 1)
    /// `http` or `https`.
    public static let scheme = MatchedParts(rawValue: 2)
    /// The host, case-insensitive.
    public static let host = MatchedParts(rawValue: 4)
    /// The port; by default, the port of the scheme.
    public static let port = MatchedParts(rawValue: 8)
    /// The path.
    public static let path = MatchedParts(rawValue: 16)
    /// The decoded items of the query; the order counts only among items with the same name.
    public static let query = MatchedParts(rawValue: 32)
    /// The body: JSON by its values, forms by their fields, others byte for byte.
    public static let body = MatchedParts(rawValue: 64)

    /// Scheme, host, port, path and query.
    public static let url: MatchedParts = [.scheme, .host, .port, .path, .query]
    /// Method and URL.
    public static let standard: MatchedParts = [.method, .url]
}
