// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Walks two JSON documents in step and lists the parts in which they differ.
///
/// Nothing is allocated for equal parts with members in the same order.
struct JSONComparison {
    let rules: ArrayRules
    var path: DifferencePath
    var depth = 0
    var differences: DifferenceList

    init(_ rules: ArrayRules, at path: DifferencePath, _ differences: consuming DifferenceList) {
        self.rules = rules
        self.path = path
        self.differences = differences
    }

    /// Compares two documents; returns `false` if one of them is not valid.
    ///
    /// Each document needs a parser of its own.
    static func compare(
        _ recordedParser: inout JSONParser,
        _ recorded: [UInt8],
        _ foundParser: inout JSONParser,
        _ found: [UInt8],
        at path: DifferencePath,
        by rules: ArrayRules,
        into list: inout DifferenceList
    ) -> Bool {
        guard let left = try? recordedParser.parse(recorded.span),
            let right = try? foundParser.parse(found.span)
        else { return false }
        var comparison = JSONComparison(rules, at: path, list)
        comparison.compare(left.root, right.root, left, right)
        list = comparison.differences
        return true
    }

    /// Compares two values, which belong to the documents.
    mutating func compare(
        _ left: JSONValue,
        _ right: JSONValue,
        _ recorded: JSONDocument,
        _ found: JSONDocument
    ) {
        switch (left.kind, right.kind) {
        case (.object, .object): members(left, right, recorded, found)
        case (.array, .array): elements(left, right, recorded, found)
        case (.string, .string):
            if !left.bytes.equals(right.bytes) { note(left, right) }
        case (.number, .number):
            if !Self.isEqualNumber(left, right) { note(left, right) }
        case (let kind, let other):
            if kind != other { note(left, right) }
        }
    }

    mutating func note(_ left: JSONValue, _ right: JSONValue) {
        let kind = FoundDifference.Kind(ComparedValue.Kind(left), ComparedValue.Kind(right))
        guard let part = differences.part(at: path, kind) else { return }
        keep(part, ComparedValue(left), ComparedValue(right))
    }

    mutating func noteMissing(_ value: JSONValue) {
        guard let part = differences.part(at: path, .missing) else { return }
        keep(part, ComparedValue(value), .absent)
    }

    mutating func noteAdded(_ value: JSONValue) {
        guard let part = differences.part(at: path, .added) else { return }
        keep(part, .absent, ComparedValue(value))
    }

    private mutating func keep(
        _ part: [UInt8],
        _ recorded: ComparedValue,
        _ found: ComparedValue
    ) {
        differences.keep(FoundDifference(path: part, place: path.place, recorded, found))
    }

    /// Whether two numbers are equal: `1.50` equals `1.5`, but integers that a `Double` cannot
    /// represent are compared exactly.
    private static func isEqualNumber(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if left.bytes.equals(right.bytes) { return true }
        if left.asInt64 != nil, right.asInt64 != nil { return false }
        guard let first = left.asDouble, let second = right.asDouble else { return false }
        return first == second
    }

    // MARK: Objects

    private mutating func members(
        _ left: JSONValue,
        _ right: JSONValue,
        _ recorded: JSONDocument,
        _ found: JSONDocument
    ) {
        var mine = left.members
        var theirs = right.members
        var count = 0
        while let member = mine.next() {
            guard let other = theirs.next(), member.key.bytes.equals(other.key.bytes) else {
                return membersByName(left, right, recorded, found, from: count)
            }
            path.push(name: member.key.bytes)
            compare(member.value, other.value, recorded, found)
            path.pop()
            count += 1
        }
        while let other = theirs.next() {
            path.push(name: other.key.bytes)
            noteAdded(other.value)
            path.pop()
        }
    }

    /// Compares the members after the first ones, which have the same names, in any order.
    private mutating func membersByName(
        _ left: JSONValue,
        _ right: JSONValue,
        _ recorded: JSONDocument,
        _ found: JSONDocument,
        from start: Int
    ) {
        var positions: [[UInt8]: Int] = [:]
        var theirs = right.members
        var count = 0
        while let other = theirs.next() {
            if count >= start {
                positions[Array(copying: other.key.bytes)] = other.value.index
            }
            count += 1
        }
        var mine = left.members
        count = 0
        while let member = mine.next() {
            count += 1
            guard count > start else { continue }
            path.push(name: member.key.bytes)
            if let index = positions.removeValue(forKey: Array(copying: member.key.bytes)) {
                compare(member.value, found.value(at: index), recorded, found)
            } else {
                noteMissing(member.value)
            }
            path.pop()
        }
        guard !positions.isEmpty else { return }
        theirs = right.members
        count = 0
        while let other = theirs.next() {
            count += 1
            guard count > start, positions[Array(copying: other.key.bytes)] == other.value.index
            else { continue }
            path.push(name: other.key.bytes)
            noteAdded(other.value)
            path.pop()
        }
    }
}
