// SPDX-License-Identifier: MIT

internal import TaplineModel

extension [UInt8] {
    /// Takes all bytes out.
    ///
    /// For bytes that a class keeps and that grow now and then: taken out, appended to and put back
    /// they cost nothing where they are only looked at. Were they appended to in their place, Swift
    /// would check each look for exclusivity.
    mutating func taken() -> [UInt8] {
        let bytes = self
        self = []
        return bytes
    }
}
