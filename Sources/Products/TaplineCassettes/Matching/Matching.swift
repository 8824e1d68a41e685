// SPDX-License-Identifier: MIT

internal import TaplineMatching

/// The parts that must be equal for a recording to answer a request.
public struct Matching: Sendable {
    /// Parts of a request, with the bits of `RequestRules.Parts`.
    public struct Parts: OptionSet, Sendable {
        /// One bit for each part.
        public let rawValue: Int

        /// Creates parts from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The method.
        public static let method = Parts(rawValue: 1)
        /// `http` or `https`.
        public static let scheme = Parts(rawValue: 2)
        /// The host, case-insensitive.
        public static let host = Parts(rawValue: 4)
        /// The port; by default, the port of the scheme.
        public static let port = Parts(rawValue: 8)
        /// The path.
        public static let path = Parts(rawValue: 16)
        /// The decoded items of the query; the order counts only among items with the same name.
        public static let query = Parts(rawValue: 32)
        /// The body: JSON by its values, forms by their fields, others byte for byte.
        public static let body = Parts(rawValue: 64)

        /// Scheme, host, port, path and query.
        public static let url: Parts = [.scheme, .host, .port, .path, .query]
        /// Method and URL.
        public static let standard: Parts = [.method, .url]
    }

    /// The parts that are compared.
    public var parts: Parts
    /// The fields that are also compared.
    public var fields: [String]
    /// Query items that are ignored, such as times and random numbers.
    public var ignoredQueryItems: Set<String>

    /// Creates rules; by default, method and URL are compared.
    public init(
        _ parts: Parts = .standard,
        fields: [String] = [],
        ignoringQueryItems ignored: Set<String> = []
    ) {
        self.parts = parts
        self.fields = fields
        ignoredQueryItems = ignored
    }

    /// The rules of the matcher.
    var rules: RequestRules {
        RequestRules(
            RequestRules.Parts(rawValue: parts.rawValue),
            fields: fields,
            ignoringQueryItems: ignoredQueryItems
        )
    }
}
