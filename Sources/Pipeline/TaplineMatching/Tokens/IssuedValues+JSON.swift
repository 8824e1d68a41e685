// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

extension IssuedValues {
    /// The most comparisons of elements for one pair of arrays.
    private static let maxComparisons = 65_536

    mutating func readJSON(_ recorded: [UInt8], _ live: [UInt8]) {
        var parser = JSONParser(maxDepth: JSONValuePath.maxDepth, surrogates: .replace)
        guard let document = try? parser.parse(recorded.span) else { return }
        var path = JSONValuePath()
        if recorded == live {
            return read(document.root, document.root, &path, document, document)
        }
        var liveParser = JSONParser(maxDepth: JSONValuePath.maxDepth, surrogates: .replace)
        guard let now = try? liveParser.parse(live.span) else { return }
        read(document.root, now.root, &path, document, now)
    }

    private mutating func read(
        _ recorded: JSONValue,
        _ live: JSONValue,
        _ path: inout JSONValuePath,
        _ document: JSONDocument,
        _ now: JSONDocument
    ) {
        switch (recorded.kind, live.kind) {
        case (.object, .object):
            let keys = Self.keys(live)
            var members = recorded.members
            var position = 0
            while let member = members.next() {
                defer { position += 1 }
                guard let key = Self.key(member.key, near: position, keys, now),
                    let mark = path.enter(member.key.bytes)
                else { continue }
                read(member.value, now.value(at: key + 1), &path, document, now)
                path.leave(mark)
            }
        case (.array, .array):
            let mark = path.enterElements()
            for (former, element) in Self.elements(recorded, live, document, now) {
                read(document.value(at: former), now.value(at: element), &path, document, now)
            }
            path.leave(mark)
        case (.string, .string), (.number, .number), (.string, .number), (.number, .string):
            addText(.json(path.text), Array(copying: recorded.bytes), Array(copying: live.bytes))
        default: break
        }
    }

    /// The token indices of an object's keys.
    private static func keys(_ value: JSONValue) -> [Int] {
        var keys: [Int] = []
        var members = value.members
        while let member = members.next() { keys.append(member.key.index) }
        return keys
    }

    /// The token index of the live key that equals a recorded one, which is often at its position.
    private static func key(
        _ key: JSONValue,
        near position: Int,
        _ keys: [Int],
        _ now: JSONDocument
    ) -> Int? {
        if position < keys.count, now.value(at: keys[position]).bytes.equals(key.bytes) {
            return keys[position]
        }
        // Objects with thousands of members are tables, whose keys are data.
        guard keys.count <= 1000 else { return nil }
        return keys.first { now.value(at: $0).bytes.equals(key.bytes) }
    }

    // MARK: Arrays

    /// The token indices of the elements that belong together.
    ///
    /// Elements of arrays of one length belong together in order. If the lengths differ, objects
    /// belong together that have the most members with equal values.
    private static func elements(
        _ recorded: JSONValue,
        _ live: JSONValue,
        _ document: JSONDocument,
        _ now: JSONDocument
    ) -> [(Int, Int)] {
        let former = indices(recorded)
        let found = indices(live)
        let (comparisons, isTooLarge) = former.count.multipliedReportingOverflow(by: found.count)
        guard former.count != found.count, !isTooLarge, comparisons <= maxComparisons else {
            return Array(zip(former, found))
        }
        let traits = former.map { Self.traits(document.value(at: $0)) }
        let others = found.map { Self.traits(now.value(at: $0)) }
        guard traits.contains(where: { !$0.isEmpty }) else { return Array(zip(former, found)) }
        var free = Set(found.indices)
        var result: [(Int, Int)] = []
        for (index, wanted) in traits.enumerated() {
            var best: (position: Int, count: Int)?
            for position in found.indices where free.contains(position) {
                let count = wanted.intersection(others[position]).count
                if count > best?.count ?? 0 { best = (position, count) }
            }
            guard let best else { continue }
            free.remove(best.position)
            result.append((former[index], found[best.position]))
        }
        return result
    }

    private static func indices(_ value: JSONValue) -> [Int] {
        var indices: [Int] = []
        var elements = value.elements
        while let element = elements.next() { indices.append(element.index) }
        return indices
    }

    /// Hashes of an object's members that are neither objects nor arrays.
    private static func traits(_ value: JSONValue) -> Set<Int> {
        var traits: Set<Int> = []
        var members = value.members
        while let member = members.next() {
            guard member.value.kind != .object, member.value.kind != .array else { continue }
            var hasher = Hasher()
            hasher.combine(member.key.bytes)
            hasher.combine(member.value.bytes)
            traits.insert(hasher.finalize())
        }
        return traits
    }
}
