// SPDX-License-Identifier: MIT

package import TaplineQuery

/// The parts in which a request must equal a recorded one.
package struct RequestRules: Sendable, Equatable {
    /// Parts of a request.
    package struct Parts: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let method = Parts(rawValue: 1)
        package static let scheme = Parts(rawValue: 2)
        /// The host, case-insensitive.
        package static let host = Parts(rawValue: 4)
        /// The port; by default, the port of the scheme.
        package static let port = Parts(rawValue: 8)
        package static let path = Parts(rawValue: 16)
        /// The decoded items of the query; the order counts only among items with the same name.
        package static let query = Parts(rawValue: 32)
        /// The body: JSON by its values, forms by their fields, others byte for byte.
        package static let body = Parts(rawValue: 64)

        /// Scheme, host, port, path and query.
        package static let url: Parts = [.scheme, .host, .port, .path, .query]
        /// Method and URL.
        package static let standard: Parts = [.method, .url]
    }

    /// The parts that are compared.
    package var parts: Parts
    /// The fields that are also compared.
    package var fields: [String]
    /// Query items that are ignored, such as times and random numbers.
    package var ignoredQueryItems: Set<String>
    /// Form fields of bodies that are ignored.
    package var ignoredFormFields: Set<String>
    /// JSON values of bodies that are ignored.
    package var ignoredValues: [JSONPath]
    /// Whether JSON and forms are compared where recordings differ in nothing else.
    package var comparesAmbiguousBodies: Bool

    /// Creates rules.
    package init(
        _ parts: Parts,
        fields: [String] = [],
        ignoringQueryItems ignored: Set<String> = [],
        ignoringFormFields ignoredFields: Set<String> = [],
        ignoringValues ignoredValues: [JSONPath] = [],
        comparingAmbiguousBodies comparesAmbiguousBodies: Bool = false
    ) {
        self.parts = parts
        self.fields = fields
        ignoredQueryItems = ignored
        ignoredFormFields = ignoredFields
        self.ignoredValues = ignoredValues
        self.comparesAmbiguousBodies = comparesAmbiguousBodies
    }
}
