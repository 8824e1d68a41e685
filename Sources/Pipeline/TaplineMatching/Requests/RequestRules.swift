// SPDX-License-Identifier: MIT

package import TaplineQuery

/// The parts in which a request must equal a recorded one.
package struct RequestRules: Sendable, Equatable {
    /// The parts that are compared.
    package var parts: MatchedParts
    /// The fields that are also compared.
    package var fields: [String]
    /// The values that are also compared, as fields of the filter language.
    package var values: [FieldReference] = []
    /// Query items that are ignored, such as times and random numbers.
    package var ignoredQueryItems: Set<String>
    /// Form fields of bodies that are ignored.
    package var ignoredFormFields: Set<String>
    /// JSON values of bodies that are ignored.
    package var ignoredValues: [JSONPath]
    /// Whether JSON and forms are compared where recordings differ in nothing else.
    package var comparesAmbiguousBodies: Bool
    /// Whether scheme, host and port are compared as `parts` says; `nil` if they are compared only
    /// where the client names the host.
    package var comparesHost: Bool?

    /// Creates rules.
    package init(
        _ parts: MatchedParts,
        fields: [String] = [],
        ignoringQueryItems ignored: Set<String> = [],
        ignoringFormFields ignoredFields: Set<String> = [],
        ignoringValues ignoredValues: [JSONPath] = [],
        comparingAmbiguousBodies comparesAmbiguousBodies: Bool = false,
        comparingHost comparesHost: Bool? = nil
    ) {
        self.parts = parts
        self.fields = fields
        ignoredQueryItems = ignored
        ignoredFormFields = ignoredFields
        self.ignoredValues = ignoredValues
        self.comparesAmbiguousBodies = comparesAmbiguousBodies
        self.comparesHost = comparesHost
    }
}
