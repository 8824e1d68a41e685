// SPDX-License-Identifier: MIT

public import TaplineMatching

/// The parts that must be equal for a recording to answer a request.
public struct Matching: Sendable {
    /// Parts of a request.
    public typealias Parts = MatchedParts

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
            parts,
            fields: fields,
            ignoringQueryItems: ignoredQueryItems
        )
    }
}
