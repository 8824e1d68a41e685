// SPDX-License-Identifier: MIT

extension Component {
    /// The value of an option.
    package enum Value: Sendable {
        case text(String)
        /// A number or a boolean, as in a file without quotes.
        case plain(String)
        case bytes(Int)
        case time(Duration)
        case list([Value])
        case map([(name: String, value: Value)])

        static func options(_ set: (inout OptionList) -> Void) -> Value {
            .map(OptionList(set).pairs)
        }
    }

    /// The options of a component, in order; an option that is `nil` is not set.
    package struct OptionList {
        fileprivate(set) var pairs: [(name: String, value: Value)] = []

        init(_ set: (inout OptionList) -> Void) { set(&self) }

        /// Sets an option.
        package mutating func set(_ name: String, _ value: Value?) {
            if let value { pairs.append((name, value)) }
        }

        /// Sets an option.
        mutating func set(_ name: String, _ value: (some OptionValue)?) { set(name, value?.value) }

        /// Sets an option whose value is a size.
        mutating func set(_ name: String, bytes: Int?) { set(name, bytes.map(Value.bytes)) }

        /// Sets an option unless the list is empty.
        mutating func set(_ name: String, ifAny list: [some OptionValue]) {
            if !list.isEmpty { set(name, list) }
        }

        /// Sets the options of a mapping.
        mutating func merge(_ value: Value) {
            if case .map(let others) = value { pairs += others }
        }
    }
}

/// A value that an option can have.
protocol OptionValue {
    var value: Component.Value { get }
}

extension OptionValue where Self: RawRepresentable<String> {
    var value: Component.Value { .text(rawValue) }
}

extension String: OptionValue {
    var value: Component.Value { .text(self) }
}

extension Int: OptionValue {
    var value: Component.Value { .plain("\(self)") }
}

extension Bool: OptionValue {
    var value: Component.Value { .plain("\(self)") }
}

extension Duration: OptionValue {
    var value: Component.Value { .time(self) }
}

extension Array: OptionValue where Element: OptionValue {
    var value: Component.Value { .list(map(\.value)) }
}
