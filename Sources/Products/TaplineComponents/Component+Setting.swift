// SPDX-License-Identifier: MIT

extension Component {
    /// A value for a script: text, a number, a boolean, or a list or table of these.
    public struct Setting: Sendable, OptionValue, ExpressibleByStringLiteral,
        ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
        ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
    {
        let value: Value

        /// Text.
        public init(_ text: String) { value = .text(text) }
        /// Text.
        public init(stringLiteral text: String) { self.init(text) }
        /// A number.
        public init(integerLiteral number: Int) { value = number.value }
        /// A number.
        public init(floatLiteral number: Double) { value = .plain("\(number)") }
        /// A boolean.
        public init(booleanLiteral truth: Bool) { value = truth.value }
        /// A list.
        public init(arrayLiteral elements: Setting...) { value = elements.value }
        /// A table.
        public init(dictionaryLiteral elements: (String, Setting)...) {
            value = .map(elements.map { ($0.0, $0.1.value) })
        }
    }
}
