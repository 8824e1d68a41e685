// SPDX-License-Identifier: MIT

extension Component {
    /// The detectors that find secrets by their format.
    ///
    /// All except `off` need the product `TaplineDetectors`, whose `.detectors` are passed as
    /// plugins.
    public struct Detectors: Sendable, OptionValue {
        let value: Value

        /// No detectors.
        public static let off = Detectors(value: .plain("off"))
        /// The detectors for common secrets.
        public static let standard = Detectors(value: .text("standard"))

        /// The detectors with these names, which may be names of groups.
        public static func named(_ names: [String]) -> Detectors { Detectors(value: names.value) }
    }
}
