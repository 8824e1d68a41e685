// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The members of list elements other than name and value, as collected by `HARUnmappedMembers`.
enum HARElementExtras {
    /// The number of elements of a list that have details for the entry.
    static func count(_ list: JSONValue?) -> Int {
        guard let list else { return 0 }
        guard list.kind == .array else { return 1 }
        var count = 0
        var elements = list.elements
        // An element with only a name marks a field of a form.
        while let element = elements.next() {
            if element.kind != .object || element.member("value") != nil { count += 1 }
        }
        return count
    }

    /// Returns the details of the element at a position.
    ///
    /// **Shape**: called with ascending positions. There are no details if the name differs, since
    /// a stage changed the list.
    /// - Parameters:
    ///   - elements: The remaining elements; those up to the position are removed.
    ///   - position: The position.
    ///   - name: The name at the position.
    /// - Returns: The object with the details.
    @_lifetime(copy elements)
    static func next(
        _ elements: inout JSONElements?,
        at position: Int,
        named name: Span<UInt8>
    ) -> JSONValue? {
        guard var ahead = elements else { return nil }
        while let element = ahead.next() {
            guard let place = element.member("at")?.asInt64, place >= position else {
                elements = ahead
                continue
            }
            guard place == position else { return nil }
            elements = ahead
            guard let expected = element.member("name"), expected.kind == .string,
                expected.bytes.equals(name), let details = element.member("value"),
                details.kind == .object
            else { return nil }
            return details
        }
        return nil
    }
}

extension JSONWriter {
    /// Writes a parsed value without the white space of its text.
    mutating func copy(_ value: JSONValue) {
        switch value.kind {
        case .object:
            beginObject()
            var members = value.members
            while let member = members.next() {
                key(member.key.bytes)
                copy(member.value)
            }
            endObject()
        case .array:
            beginArray()
            var elements = value.elements
            while let element = elements.next() { copy(element) }
            endArray()
        case .string:
            string(value.bytes)
        case .number, .true, .false, .null:
            raw(value.bytes)
        }
    }

    /// Writes the members of an object except for some; none if there is no object.
    mutating func members(of object: JSONValue?, except names: [StaticString] = []) {
        guard let object else { return }
        var members = object.members
        while let member = members.next() {
            if names.contains(where: { member.key.matches($0) }) { continue }
            key(member.key.bytes)
            copy(member.value)
        }
    }

    /// Writes a member of the original entry instead of a generated one.
    ///
    /// Returns whether there is such a member.
    mutating func kept(_ name: StaticString, of rest: JSONValue?) -> Bool {
        guard let rest, let value = rest.member(name) else { return false }
        key(name)
        copy(value)
        return true
    }
}

/// A member of an object; `nil` if there is no object or it has no such member.
@_lifetime(copy object)
func part(_ name: StaticString, of object: JSONValue?) -> JSONValue? {
    guard let object else { return nil }
    return object.member(name)
}
