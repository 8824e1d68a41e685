// SPDX-License-Identifier: MIT

/// How a store answers a query, for people.
///
/// Values that may be secrets are replaced by `***`; names and other values come from the filter.
package struct StorePlan: Sendable, Hashable {
    /// One aspect of the answer.
    package struct Step: Sendable, Hashable {
        /// What the text is about: `strategy`, `index`, `scan`, `sql`, `memory`, `results`.
        package let label: String
        /// The text, in one line.
        package let text: String

        init(_ label: String, _ text: String) {
            self.label = label
            self.text = text
        }
    }

    /// The path of the store.
    package let store: String
    /// The steps, in order.
    package let steps: [Step]
}

/// What is explained.
enum ExplainedQuery: Sendable {
    case results, count
}
