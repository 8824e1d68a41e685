// SPDX-License-Identifier: MIT

package import TaplineConfig

/// The declarations of test files, for editors and for the reference page.
package enum TestSchema {
    /// A JSON Schema (draft 2020-12) of test files.
    package static var schema: JSONSchemaNode {
        guard case .object(let pairs) = TestFileKeys.schema.jsonSchema() else { return [:] }
        return .object(
            [
                ("$schema", "https://json-schema.org/draft/2020-12/schema"),
                ("title", "Tapline test file"),
            ] + pairs
        )
    }

    /// The options as tables in Markdown, in the order of the reference page.
    package static var tables: [(title: String, text: String)] {
        [
            ("test file", TestFileKeys.schema),
            ("test", TestKeys.schema),
            ("exchange", ExchangeKeys.schema),
            ("request", RequestKeys.schema),
            ("response", ResponseKeys.schema),
            ("expect", ExpectationKeys.schema),
            ("expected request", RequestExpectation.schema),
            ("expected response", ResponseExpectation.schema),
        ]
        .map { ($0.0, $0.1.table()) }
    }
}
