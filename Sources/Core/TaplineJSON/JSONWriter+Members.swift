// SPDX-License-Identifier: MIT

/// Objects and arrays as closures, and members with a value.
extension JSONWriter {
    /// Writes an object with the members that a closure writes.
    package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes an array with the elements that a closure writes.
    package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginArray()
        try body(&self)
        endArray()
    }

    /// Writes a member whose value is a string.
    package mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        string(text)
    }

    /// Writes a member whose value is a number.
    package mutating func member(_ name: StaticString, _ number: Int) {
        key(name)
        integer(number)
    }

    /// Writes a member whose value is a number.
    package mutating func member(_ name: StaticString, _ number: Int64) {
        key(name)
        integer(number)
    }

    /// Writes a member whose value is true or false.
    package mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }
}
