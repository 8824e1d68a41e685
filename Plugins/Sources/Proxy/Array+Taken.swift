// SPDX-License-Identifier: MIT

extension Array {
    /// Takes all elements out.
    ///
    /// For arrays that a class keeps and that grow now and then: taken out, appended to and put back
    /// they cost nothing where they are only looked at. Were they appended to in their place, Swift
    /// would check each look for exclusivity.
    mutating func taken() -> [Element] {
        let elements = self
        self = []
        return elements
    }
}
