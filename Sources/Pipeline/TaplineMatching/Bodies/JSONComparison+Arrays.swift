// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The elements of arrays, by position or by a rule.
extension JSONComparison {
    /// The number of elements up to which an array is checked for another order.
    private static let maxReordered = 10_000
    /// The depth up to which arrays are checked, so that nested ones do not multiply the work.
    private static let maxReorderedDepth = 8
    /// The number of elements without an equal up to which the most similar ones are paired.
    private static let maxSimilar = 200

    mutating func elements(
        _ left: JSONValue,
        _ right: JSONValue,
        _ recorded: JSONDocument,
        _ found: JSONDocument
    ) {
        depth += 1
        defer { depth -= 1 }
        if !rules.isEmpty, let order = rules[path.general] {
            return elements(left, right, recorded, found, in: order)
        }
        let before = differences.mark
        var mine = left.elements
        var theirs = right.elements
        var index = 0
        while !mine.isAtEnd || !theirs.isAtEnd {
            path.push(index: index)
            if let element = mine.next() {
                if let other = theirs.next() {
                    compare(element, other, recorded, found)
                } else {
                    noteMissing(element)
                }
            } else if let other = theirs.next() {
                noteAdded(other)
            }
            path.pop()
            index += 1
        }
        guard differences.total > before.total, index > 1, index <= Self.maxReordered,
            depth <= Self.maxReorderedDepth, Self.hasSameElements(left, right)
        else { return }
        differences.truncate(to: before)
        differences.append(
            FoundDifference(path, .order, ComparedValue(left), ComparedValue(right))
        )
    }

    /// Whether two arrays have equal elements in any order.
    private static func hasSameElements(_ left: JSONValue, _ right: JSONValue) -> Bool {
        var counts: [Int: Int] = [:]
        var mine = left.elements
        while let element = mine.next() { counts[hash(element), default: 0] += 1 }
        var theirs = right.elements
        while let element = theirs.next() {
            let hash = hash(element)
            guard let count = counts[hash], count > 0 else { return false }
            counts[hash] = count - 1
        }
        return counts.values.allSatisfy { $0 == 0 }
    }

    /// Returns a hash that does not depend on the order of members.
    private static func hash(_ value: JSONValue) -> Int {
        var hasher = Hasher()
        hasher.combine(value.kind)
        switch value.kind {
        case .object:
            var sum = 0
            var members = value.members
            while let member = members.next() { sum &+= hash(member) }
            hasher.combine(sum)
        case .array:
            var elements = value.elements
            while let element = elements.next() { hasher.combine(hash(element)) }
        default: hasher.combine(value.bytes)
        }
        return hasher.finalize()
    }

    /// Compares elements that are paired by a rule.
    private mutating func elements(
        _ left: JSONValue,
        _ right: JSONValue,
        _ recorded: JSONDocument,
        _ found: JSONDocument,
        in order: ArrayOrder
    ) {
        var positions: [Int: [Int]] = [:]
        var theirs = right.elements
        while let other = theirs.next() {
            positions[Self.identity(other, order), default: []].append(other.index)
        }
        // Elements that occur more than once are paired in their order.
        for key in positions.keys { positions[key]?.reverse() }
        var unpaired: [Int] = []
        path.pushElement()
        defer { path.pop() }
        var mine = left.elements
        while let element = mine.next() {
            if let index = positions[Self.identity(element, order)]?.popLast() {
                // Without a key, equal hashes are equal elements.
                if case .key = order {
                    compare(element, found.value(at: index), recorded, found)
                }
            } else {
                unpaired.append(element.index)
            }
        }
        let others = positions.values.joined().sorted()
        // With a key, what has no partner is missing or added.
        guard order == .unordered else {
            for index in unpaired { noteMissing(recorded.value(at: index)) }
            for index in others { noteAdded(found.value(at: index)) }
            return
        }
        compareSimilar(unpaired, others, recorded, found)
    }

    /// Compares elements that have no equal with those that have the most members in common.
    private mutating func compareSimilar(
        _ left: [Int],
        _ right: [Int],
        _ recorded: JSONDocument,
        _ found: JSONDocument
    ) {
        // Long arrays are paired by position, since every element would be compared with all.
        guard left.count <= Self.maxSimilar, right.count <= Self.maxSimilar else {
            for (index, other) in zip(left, right) {
                compare(recorded.value(at: index), found.value(at: other), recorded, found)
            }
            for index in left.dropFirst(right.count) { noteMissing(recorded.value(at: index)) }
            for index in right.dropFirst(left.count) { noteAdded(found.value(at: index)) }
            return
        }
        var rest = right.map { (index: $0, members: Self.members(found.value(at: $0))) }
        for index in left {
            guard !rest.isEmpty else {
                noteMissing(recorded.value(at: index))
                continue
            }
            let mine = Self.members(recorded.value(at: index))
            var (best, most) = (0, -1)
            for (position, other) in rest.enumerated() {
                let common = mine.intersection(other.members).count
                if common > most { (best, most) = (position, common) }
            }
            let partner = rest.remove(at: best).index
            compare(recorded.value(at: index), found.value(at: partner), recorded, found)
        }
        for other in rest { noteAdded(found.value(at: other.index)) }
    }

    /// Returns the hashes of an object's members.
    private static func members(_ value: JSONValue) -> Set<Int> {
        var result: Set<Int> = []
        var members = value.members
        while let member = members.next() { result.insert(hash(member)) }
        return result
    }

    private static func hash(_ member: JSONMember) -> Int {
        var hasher = Hasher()
        hasher.combine(member.key.bytes)
        hasher.combine(hash(member.value))
        return hasher.finalize()
    }

    /// What identifies an element: the member that a rule names, or else the whole element.
    private static func identity(_ element: JSONValue, _ order: ArrayOrder) -> Int {
        guard case .key(let name) = order else { return hash(element) }
        var members = element.members
        while let member = members.next() {
            if member.key.bytes.equals(name) { return hash(member.value) }
        }
        return hash(element)
    }
}
