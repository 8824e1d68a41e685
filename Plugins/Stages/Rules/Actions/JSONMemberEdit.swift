// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery

/// Adds and removes single members of objects in a JSON document; all other bytes stay as they are.
///
/// **Shape**: `nil` if the path names no single object, or a member that is, or is not, there.
struct JSONMemberEdit {
    private let content: [UInt8]
    /// The object, with its braces.
    private let object: Range<Int>
    private let name: [UInt8]

    /// Finds the object of the member at a path.
    init?(_ path: JSONPath, in content: [UInt8]) {
        guard case .member(let name)? = path.steps.last else { return nil }
        let objects = JSONReplacement.ranges(of: path.steps.dropLast(), in: content)
        guard objects.count == 1, content[objects[0].lowerBound] == .ascii("{") else { return nil }
        object = objects[0]
        self.content = content
        self.name = name
    }

    /// Returns the document without the member.
    func removed() -> [UInt8]? {
        let own = members.filter(\.isNamed)
        guard own.count == 1 else { return nil }
        var (start, end) = (own[0].range.lowerBound, own[0].range.upperBound)
        let next = skipped(from: end)
        if content[next] == .ascii(",") {
            end = skipped(from: next + 1)
        } else {
            // The last member: the comma is before it, if there are others.
            while start > object.lowerBound + 1, isSpace(start - 1) { start -= 1 }
            if content[start - 1] == .ascii(",") { start -= 1 }
        }
        return Array(content[..<start] + content[end...])
    }

    /// Returns the document with a new member after the others.
    func added(_ value: [UInt8]) throws(BodyTooLarge) -> [UInt8]? {
        let members = members
        guard !members.contains(where: \.isNamed) else { return nil }
        let position = members.last?.range.upperBound ?? object.lowerBound + 1
        let member = [.ascii("\"")] + JSONString.escaped(name) + Array("\":".utf8) + value
        var output: [UInt8] = []
        try output.append(content[..<position], (members.isEmpty ? [] : [.ascii(",")]) + member)
        try output.append(content[position...], [])
        return output
    }

    /// The bytes of each member, and whether it has the name.
    private var members: [(range: Range<Int>, isNamed: Bool)] {
        var parser = JSONParser(surrogates: .replace)
        var found: [(range: Range<Int>, isNamed: Bool)] = []
        let text = Array(content[object])
        do throws(JSONError) {
            let document = try parser.parse(text.span)
            var members = document.root.members
            while let member = members.next() {
                let key = JSONReplacement.range(of: member.key, in: text.span)
                let value = JSONReplacement.range(of: member.value, in: text.span)
                let start = object.lowerBound
                found.append(
                    (
                        start + key.lowerBound..<start + value.upperBound,
                        member.key.bytes.equals(name.span)
                    )
                )
            }
        } catch {
            return []
        }
        return found
    }

    /// The first position from `start` without white space; the object's brace at the latest.
    private func skipped(from start: Int) -> Int {
        var position = start
        while position < object.upperBound - 1, isSpace(position) { position += 1 }
        return position
    }

    private func isSpace(_ position: Int) -> Bool {
        switch content[position] {
        case 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}
