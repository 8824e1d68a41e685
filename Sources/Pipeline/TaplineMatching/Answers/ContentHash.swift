// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery

/// The hash of a body's meaning: bodies that `MessageContent` finds equal have equal hashes.
///
/// No value is copied, and nothing that rules ignore counts.
struct ContentHash {
    /// Whether the body is JSON or a form.
    let isStructured: Bool
    let value: UInt64

    /// The deepest nesting of JSON; deeper bodies are compared byte for byte.
    private static let maxDepth = 512

    init(_ request: borrowing Request, _ keys: RequestKeys) {
        let bytes = request.body.bytes
        guard !bytes.isEmpty else {
            isStructured = false
            // A body that was not kept differs from one that does not exist.
            value = request.body.isTruncated ? 1 : 0
            return
        }
        let type = request.contentType
        let isForm = type.mediaType.span.equals("application/x-www-form-urlencoded")
        if isForm, bytes.first != .ascii("{") {
            isStructured = true
            value = ContentHash.items(bytes.span, keys)
        } else if let hash = ContentHash.json(bytes, keys.rules.ignoredValues) {
            isStructured = true
            value = hash
        } else {
            isStructured = false
            var hash = PartHash()
            hash.add(MessageContent.withoutBoundary(bytes, type).span)
            value = hash.value
        }
    }

    /// The hash of a form's fields in any order.
    private static func items(_ bytes: Span<UInt8>, _ keys: RequestKeys) -> UInt64 {
        var sum: UInt64 = 1
        var items = QueryItems(0..<bytes.count)
        while let item = items.next(in: bytes) {
            let name = PartHash.ofItem(bytes.extracting(item.name))
            if keys.ignoresFormField(name) { continue }
            sum &+= PartHash.of(name, PartHash.ofItem(bytes.extracting(item.value)))
        }
        return sum
    }

    /// The hash of JSON; `nil` if the bytes are something else.
    private static func json(_ bytes: [UInt8], _ ignored: [JSONPath]) -> UInt64? {
        guard bytes.beginsLikeJSON else { return nil }
        var parser = JSONParser(maxDepth: maxDepth, surrogates: .replace)
        guard let document = try? parser.parse(bytes.span) else { return nil }
        return hash(document.root, ignored.map { $0.steps[...] }) ?? 0
    }

    /// The hash of a value without those that paths lead to; `nil` if one leads to the value itself.
    private static func hash(_ value: JSONValue, _ ignored: [ArraySlice<JSONPath.Step>]) -> UInt64?
    {
        if ignored.contains(where: \.isEmpty) { return nil }
        switch value.kind {
        case .object:
            var sum: UInt64 = 2
            var members = value.members
            while let member = members.next() {
                var key = PartHash()
                key.add(member.key.bytes)
                let rest = ignored.isEmpty ? [] : ignored.following(member.key.bytes)
                guard let value = hash(member.value, rest) else { continue }
                sum &+= PartHash.of(key.value, value)
            }
            return PartHash.of(2, sum)
        case .array:
            var hash = PartHash()
            var elements = value.elements
            var index = 0
            while let element = elements.next() {
                let rest = ignored.isEmpty ? [] : ignored.following(index)
                hash.add(number: Self.hash(element, rest) ?? 0)
                index += 1
            }
            return PartHash.of(3, hash.value)
        case .string:
            var hash = PartHash()
            hash.add(value.bytes)
            return PartHash.of(4, hash.value)
        default:
            var hash = PartHash()
            hash.add(value.bytes)
            return PartHash.of(5, hash.value)
        }
    }
}

extension [ArraySlice<JSONPath.Step>] {
    /// The paths that lead into a member, from there on.
    fileprivate func following(_ name: Span<UInt8>) -> Self {
        var rest: Self = []
        for path in self {
            switch path.first {
            case .every: rest.append(path.dropFirst())
            case .member(let wanted) where wanted.span.equals(name): rest.append(path.dropFirst())
            default: break
            }
        }
        return rest
    }

    /// The paths that lead into an element, from there on.
    fileprivate func following(_ index: Int) -> Self {
        filter { $0.first == .every || $0.first == .element(index) }.map { $0.dropFirst() }
    }
}
