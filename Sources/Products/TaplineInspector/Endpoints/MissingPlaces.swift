// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Where a recorded request lacks what is needed to send it again.
///
/// The mask of the stage `redact` is found by its default text, and hashes by their form. Stand-ins
/// and masks of another text look like values.
struct MissingPlaces {
    /// Why something is missing.
    enum Reason: String {
        case masked
        case truncated
        case notKept = "not kept"
    }

    /// How many places are listed.
    private static let limit = 100
    /// How deep JSON is searched.
    private static let maxDepth = 64

    /// The places: `request.url`, `request.header.NAME`, `request.body`, or a path in its JSON.
    private(set) var places: [(at: String, reason: Reason)] = []

    /// Searches a request.
    ///
    /// - Parameters:
    ///   - url: Its URL.
    ///   - fields: The fields that are sent.
    ///   - recorded: The body as recorded.
    ///   - content: The content that is sent.
    init(
        url: String,
        fields: [(name: String, value: [UInt8])],
        recorded: Body,
        content: [UInt8]
    ) {
        if Self.isMasked(url.utf8.span) { add("request.url", .masked) }
        for field in fields where Self.isMasked(field.value.span) {
            add("request.header.\(field.name)", .masked)
        }
        if recorded.bytes.isEmpty, recorded.isTruncated || recorded.size ?? 0 > 0 {
            add("request.body", .notKept)
        } else if recorded.isTruncated {
            add("request.body", .truncated)
        }
        guard Self.isMasked(content.span) else { return }
        if !searchJSON(content) { add("request.body", .masked) }
    }

    private mutating func add(_ place: String, _ reason: Reason) {
        guard places.count < Self.limit, !places.contains(where: { $0.at == place }) else { return }
        places.append((place, reason))
    }

    /// Adds the masked values of JSON; returns whether there are any.
    private mutating func searchJSON(_ content: [UInt8]) -> Bool {
        var parser = JSONParser(maxDepth: Self.maxDepth)
        guard let document = try? parser.parse(content.span) else { return false }
        let count = places.count
        search(document.root, at: "request.body.$")
        return places.count > count
    }

    private mutating func search(_ value: JSONValue, at path: String) {
        guard places.count < Self.limit else { return }
        switch value.kind {
        case .string:
            if Self.isMasked(value.bytes) { add(path, .masked) }
        case .array:
            var elements = value.elements
            var index = 0
            while let element = elements.next() {
                search(element, at: "\(path)[\(index)]")
                index += 1
            }
        case .object:
            var members = value.members
            while let member = members.next() {
                let name = member.key.asString ?? ""
                search(member.value, at: path + Self.step(to: name))
            }
        default: break
        }
    }

    /// The step of a JSON path to a member.
    private static func step(to name: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == .ascii("_") }
        if isPlain { return ".\(name)" }
        return "['"
            + name.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "\\'") + "']"
    }

    // MARK: Masks

    /// The default mask, as it is and percent-encoded.
    private static let masks = ["[redacted]", "%5Bredacted%5D", "%5bredacted%5d"]
        .map { Array($0.utf8) }
    private static let hash = Array("h-".utf8)
    private static let hashDigits = 32

    /// Returns whether bytes contain a mask or a hash of the stage `redact`.
    private static func isMasked(_ bytes: Span<UInt8>) -> Bool {
        let bytes = Array(copying: bytes)
        if masks.contains(where: { bytes.firstRange(of: $0) != nil }) { return true }
        var rest = bytes[...]
        while let found = rest.firstRange(of: hash) {
            let digits = bytes[found.upperBound...].prefix { isHexDigit($0) }
            if digits.count == hashDigits { return true }
            rest = bytes[found.upperBound...]
        }
        return false
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        byte.isDigit || (0x61...0x66).contains(byte)
    }
}
