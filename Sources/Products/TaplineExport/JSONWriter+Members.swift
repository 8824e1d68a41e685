// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Members with a value.
extension JSONWriter {
    mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        string(text)
    }

    mutating func member(_ name: StaticString, _ number: Int) {
        key(name)
        integer(number)
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }
}
