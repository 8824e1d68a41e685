// SPDX-License-Identifier: MIT

/// What has to be the same for a recording to answer a request.
public struct Matching: Sendable {
    /// Parts of a request.
    public struct Parts: OptionSet, Sendable {
        /// One bit for each part.
        public let rawValue: Int

        /// Parts of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The method.
        public static let method = Parts(rawValue: 1)
        /// `http` or `https`.
        public static let scheme = Parts(rawValue: 2)
        /// The host, whatever its case.
        public static let host = Parts(rawValue: 4)
        /// The port, that of the scheme where none is named.
        public static let port = Parts(rawValue: 8)
        /// The path.
        public static let path = Parts(rawValue: 16)
        /// The items of the query, decoded; those of one name in their order, the others in any.
        public static let query = Parts(rawValue: 32)
        /// The body: JSON by its values, forms by their fields, all else byte for byte.
        public static let body = Parts(rawValue: 64)

        /// Scheme, host, port, path and query.
        public static let url: Parts = [.scheme, .host, .port, .path, .query]
        /// Method and URL.
        public static let standard: Parts = [.method, .url]
    }

    /// The parts that are compared.
    public var parts: Parts
    /// The fields that are compared, too.
    public var fields: [String]
    /// Query items that do not count, such as times and random numbers.
    public var ignoredQueryItems: Set<String>

    /// What is compared: method and URL where it is left out.
    public init(
        _ parts: Parts = .standard,
        fields: [String] = [],
        ignoringQueryItems ignored: Set<String> = []
    ) {
        self.parts = parts
        self.fields = fields
        ignoredQueryItems = ignored
    }
}
