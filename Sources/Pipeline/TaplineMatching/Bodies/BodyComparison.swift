// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
package import TaplineModel

/// Compares bodies by their type, after decoding their codings.
///
/// JSON is compared by path, protobuf by the names or numbers of fields, forms by field, XML by
/// element and attribute, HTML by its texts, other texts up to their first differing line, and
/// everything else byte for byte.
///
/// **Limits**: JSON nested up to 512 levels; bodies that decode to 64 MiB at most.
package struct BodyComparison: ~Copyable {
    private var recordedParser = JSONParser(maxDepth: 512, surrogates: .replace)
    private var foundParser = JSONParser(maxDepth: 512, surrogates: .replace)

    /// Reads protobuf.
    var protobuf = ProtobufContent()

    package init() {}

    /// Lists the parts in which two bodies differ.
    ///
    /// - Parameters:
    ///   - recorded: The body in the recording.
    ///   - recordedType: Its content type.
    ///   - found: The other body.
    ///   - foundType: Its content type.
    /// - Returns: The differences, at most 1,000; one of each part after the first 500.
    package mutating func differences(
        _ recorded: Body,
        _ recordedType: ByteString,
        _ found: Body,
        _ foundType: ByteString
    ) -> [FoundDifference] {
        var list = DifferenceList()
        _ = compare(recorded, recordedType, found, foundType, by: ArrayRules(), into: &list)
        return list.all
    }

    /// Adds the parts in which two bodies differ to a list.
    ///
    /// - Returns: Whether the whole bodies are known and were compared.
    mutating func compare(
        _ recorded: Body,
        _ recordedType: @autoclosure () -> ByteString,
        _ found: Body,
        _ foundType: @autoclosure () -> ByteString,
        by rules: ArrayRules,
        into list: inout DifferenceList
    ) -> Bool {
        let isWhole = !recorded.isTruncated && !found.isTruncated
        if recorded.bytes.span.equals(found.bytes.span), recorded.coding == found.coding {
            // Bodies without any byte may be different ones that were not kept.
            return isWhole && (!recorded.bytes.isEmpty || !recorded.isUnseen && !found.isUnseen)
        }
        if recorded.isUnseen || found.isUnseen { return false }
        let left = Self.decoded(recorded)
        let right = Self.decoded(found)
        if !isWhole {
            let count = min(left.count, right.count)
            if left.span.extracting(0..<count).equals(right.span.extracting(0..<count)) {
                return false
            }
        }
        return compare(left, Content(recordedType()), right, Content(foundType()), rules, &list)
            && isWhole
    }

    private static func decoded(_ body: Body) -> [UInt8] {
        guard !body.coding.isEmpty else { return body.bytes }
        let codings = ContentCoding.list(body.coding.span)
        return (try? ContentCoding.decode(body.bytes.span, codings: codings)) ?? body.bytes
    }

    /// Adds the differences of two JSON documents; returns whether both are JSON.
    private mutating func compareJSON(
        _ recorded: [UInt8],
        _ found: [UInt8],
        _ rules: ArrayRules,
        _ list: inout DifferenceList
    ) -> Bool {
        JSONComparison.compare(
            &recordedParser,
            recorded,
            &foundParser,
            found,
            at: DifferencePath(root: "$"),
            by: rules,
            into: &list
        )
    }

    /// Adds the differences of two decoded bodies; returns whether all of them were compared.
    private mutating func compare(
        _ recorded: [UInt8],
        _ recordedContent: Content,
        _ found: [UInt8],
        _ foundContent: Content,
        _ rules: ArrayRules,
        _ list: inout DifferenceList
    ) -> Bool {
        if recorded.span.equals(found.span) { return true }
        if let left = protobuf.json(recorded, recordedContent.type),
            let right = protobuf.json(found, foundContent.type),
            compareJSON(left, right, rules, &list)
        {
            return true
        }
        if recordedContent.mayBeJSON(recorded), foundContent.mayBeJSON(found),
            compareJSON(recorded, found, rules, &list)
        {
            return true
        }
        guard recordedContent.kind == foundContent.kind else {
            Self.note(
                recordedContent.description(recorded),
                foundContent.description(found),
                &list
            )
            return true
        }
        switch recordedContent.kind {
        case .form: Self.compareForms(recorded, found, &list)
        case .xml, .html:
            let isHTML = recordedContent.kind == .html
            return MarkupLeaves.compare(
                MarkupLeaves(recorded.span, isHTML: isHTML),
                MarkupLeaves(found.span, isHTML: isHTML),
                &list
            )
        case .multipart:
            let left = MessageContent.withoutBoundary(recorded, recordedContent.type)
            let right = MessageContent.withoutBoundary(found, foundContent.type)
            Self.compareAny(left, recordedContent, right, foundContent, &list)
        case .other:
            Self.compareAny(recorded, recordedContent, found, foundContent, &list)
        }
        return true
    }

    // MARK: Other types

    private static func note(
        _ recorded: String,
        _ found: String,
        _ list: inout DifferenceList
    ) {
        list.append(
            FoundDifference(
                DifferencePath(root: "body"),
                ComparedValue(.note, recorded),
                ComparedValue(.note, found)
            )
        )
    }

    private static func compareForms(
        _ recorded: [UInt8],
        _ found: [UInt8],
        _ list: inout DifferenceList
    ) {
        let left = RequestParts.items(recorded.span, in: 0..<recorded.count)
        let right = RequestParts.items(found.span, in: 0..<found.count)
        for name in Set(left.keys).union(right.keys).sorted() where left[name] != right[name] {
            func value(_ values: [String]?) -> ComparedValue {
                values.map { ComparedValue(.string, $0.joined(separator: ", ")) } ?? .absent
            }
            list.append(
                FoundDifference(
                    DifferencePath("form", name: name),
                    value(left[name]),
                    value(right[name])
                )
            )
        }
    }

    private static func compareAny(
        _ recorded: [UInt8],
        _ recordedContent: Content,
        _ found: [UInt8],
        _ foundContent: Content,
        _ list: inout DifferenceList
    ) {
        if recorded.span.equals(found.span) { return }
        guard !recordedContent.isBinary(recorded), !foundContent.isBinary(found) else {
            let same = zip(recorded, found).prefix { $0 == $1 }.count
            return note(
                recordedContent.description(recorded),
                foundContent.description(found) + ", first difference at byte \(same)",
                &list
            )
        }
        compareTexts(recorded, found, &list)
    }

    /// Notes the first line in which two texts differ.
    private static func compareTexts(
        _ recorded: [UInt8],
        _ found: [UInt8],
        _ list: inout DifferenceList
    ) {
        let same = zip(recorded, found).prefix { $0 == $1 }.count
        let before = recorded[..<same]
        let start = before.lastIndex(of: .ascii("\n")).map { $0 + 1 } ?? 0
        var path = DifferencePath(root: "text")
        path.push(index: before.count { $0 == .ascii("\n") } + 1)
        func line(_ text: [UInt8]) -> ComparedValue {
            guard start < text.count || start == 0 else { return .absent }
            let end = text[start...].firstIndex(of: .ascii("\n")) ?? text.count
            // A long line is shown from shortly before the difference.
            let from = same - start > 100 ? same - 40 : start
            return ComparedValue(.string, text.span.extracting(min(from, end)..<end))
        }
        list.append(FoundDifference(path, line(recorded), line(found)))
    }
}

extension Body {
    /// Whether there are bytes, but none are kept.
    fileprivate var isUnseen: Bool { bytes.isEmpty && (isTruncated || size ?? 0 > 0) }
}
