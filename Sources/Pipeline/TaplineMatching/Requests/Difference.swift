// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

/// A part in which a request and a recording differ.
package struct Difference: Sendable, Equatable {
    /// The part, such as `query item 'page'`.
    package let part: String
    /// The value in the recording.
    package let recorded: String
    /// The value in the request, cleaned.
    package let found: String
    /// How strongly the difference counts when the nearest recording is searched.
    package let weight: Int

    init(_ part: String, recorded: String?, found: String?, weight: Int = 1) {
        self.init(
            part,
            recorded: recorded.map { "'\($0)'" } ?? "nothing",
            found: found.map { "'\($0)'" } ?? "nothing",
            weight: weight
        )
    }

    private init(_ part: String, recorded: String, found: String, weight: Int) {
        self.part = part
        self.recorded = recorded
        self.found = found
        self.weight = weight
    }

    static func shown(_ part: String, recorded: String, found: String) -> Difference {
        Difference(part, recorded: recorded, found: found, weight: 1)
    }

    /// The difference as readable text.
    package var text: String { "\(part): recorded \(recorded), now \(found)" }
}

/// A request for which a recording is searched.
///
/// Both forms are compared: values that the client created are cleaned in the same way as the
/// recording, but values that come from a recording are already clean, and cleaning them again may
/// change them.
package struct LiveRequest: Sendable {
    /// The request as the client sends it; never shown.
    package let raw: RequestParts
    /// The request as it would be recorded.
    package let clean: RequestParts
    /// Matches masks in a recording; `nil` compares them literally.
    package var masked: MaskedText?

    package init(raw: RequestParts, clean: RequestParts, masked: MaskedText? = nil) {
        self.raw = raw
        self.clean = clean
        self.masked = masked
    }

    /// Returns the differences from a recorded request, by the rules.
    package func differences(from recorded: RequestParts, _ matching: RequestRules) -> [Difference]
    {
        var found: [Difference] = []
        func compare(_ part: String, _ path: KeyPath<RequestParts, String>, _ weight: Int) {
            let value = recorded[keyPath: path]
            let now = clean[keyPath: path]
            if value != now, value != raw[keyPath: path] {
                found.append(Difference(part, recorded: value, found: now, weight: weight))
            }
        }
        let parts = matching.parts
        if parts.contains(.method) { compare("method", \.method, 4) }
        if parts.contains(.scheme) { compare("scheme", \.scheme, 2) }
        if parts.contains(.host) { compare("host", \.host, 8) }
        if parts.contains(.port) { compare("port", \.port, 2) }
        if parts.contains(.path), masked?.coversPath(recorded.path, clean.path) != true {
            compare("path", \.path, RequestParts.distance(recorded.path, clean.path))
        }
        if parts.contains(.query) {
            found += items("query item", recorded.query, clean.query, raw.query) {
                !matching.ignoredQueryItems.contains($0)
            }
        }
        for name in matching.fields {
            let value = recorded.field(name)
            let now = clean.field(name)
            if value != now, value != raw.field(name), !covers(value, now) {
                found.append(Difference("field '\(name)'", recorded: value, found: now))
            }
        }
        for field in matching.values {
            let value = field.text(of: recorded.request)
            let now = field.text(of: clean.request)
            if value != now, value != field.text(of: raw.request), !covers(value, now) {
                found.append(Difference(field.name, recorded: value, found: now))
            }
        }
        if parts.contains(.body) { found += bodies(recorded, matching) }
        return found
    }

    private func covers(_ recorded: String?, _ found: String?) -> Bool {
        guard let masked, let recorded, let found else { return false }
        return masked.covers(recorded, found)
    }

    private func covers(_ recorded: [String]?, _ found: [String]?) -> Bool {
        guard let masked, let recorded, let found, recorded.count == found.count else {
            return false
        }
        return zip(recorded, found).allSatisfy { $0 == $1 || masked.covers($0, $1) }
    }

    private func items(
        _ kind: String,
        _ recorded: RequestParts.Items,
        _ clean: RequestParts.Items,
        _ raw: RequestParts.Items,
        where counts: (String) -> Bool = { _ in true }
    ) -> [Difference] {
        Set(recorded.keys).union(clean.keys).filter(counts).sorted().compactMap { name in
            let value = recorded[name]
            guard value != clean[name], value != raw[name], !covers(value, clean[name]) else {
                return nil
            }
            return Difference(
                "\(kind) '\(name)'",
                recorded: value?.joined(separator: "', '"),
                found: clean[name]?.joined(separator: "', '")
            )
        }
    }

    // MARK: Bodies

    private func bodies(_ recorded: RequestParts, _ matching: RequestRules) -> [Difference] {
        let (former, now) = (recorded.content.ignoring(matching), clean.content.ignoring(matching))
        let sent = raw.content.ignoring(matching)
        if former == now || former == sent { return [] }
        switch (former, now, sent) {
        case (.unseen, _, _), (_, .unseen, _):
            let hint = "not visible; upload it through a TapSession"
            let isNow = now == .unseen
            return [
                .shown("body", recorded: isNow ? "one" : hint, found: isNow ? hint : "one")
            ]
        case (.form(let recorded), .form(let clean), .form(let raw)):
            return items("form field", recorded, clean, raw)
        case (.json(let recorded), .json(let clean), .json(let raw)):
            return json("$", recorded, clean, raw)
        case (.bytes(let recorded), .bytes(let clean), _)
        where covers(
            String(decoding: recorded, as: UTF8.self),
            String(decoding: clean, as: UTF8.self)
        ):
            return []
        default:
            return [
                .shown(
                    "body",
                    recorded: "\(recorded.body.bytes.count) bytes",
                    found: "\(clean.body.bytes.count) bytes"
                        + LiveRequest.place(recorded.body.bytes, clean.body.bytes)
                )
            ]
        }
    }

    /// Describes the position of the first difference of two bodies.
    private static func place(_ recorded: [UInt8], _ found: [UInt8]) -> String {
        let same = zip(recorded, found).prefix { $0 == $1 }.count
        return ", first difference at byte \(same)"
    }

    private func json(
        _ path: String,
        _ recorded: MessageContent.JSON?,
        _ clean: MessageContent.JSON?,
        _ raw: MessageContent.JSON?
    ) -> [Difference] {
        if recorded == clean || recorded == raw { return [] }
        switch (recorded, clean, raw) {
        case (.object(let recorded), .object(let clean), let raw):
            var others: [String: MessageContent.JSON] = [:]
            if case .object(let members) = raw { others = members }
            return Set(recorded.keys).union(clean.keys).sorted().flatMap { name in
                json("\(path).\(name)", recorded[name], clean[name], others[name])
            }
        case (.array(let recorded), .array(let clean), let raw)
        where recorded.count == clean.count:
            var others = clean
            if case .array(let elements) = raw, elements.count == clean.count { others = elements }
            return recorded.indices.flatMap { index in
                json("\(path)[\(index)]", recorded[index], clean[index], others[index])
            }
        case (.string(let recorded), .string(let found), _) where covers(recorded, found),
            (.string(let recorded), .word(let found), _) where covers(recorded, found):
            return []
        default:
            return [
                .shown(
                    "body \(path)",
                    recorded: recorded?.shown ?? "nothing",
                    found: clean?.shown ?? "nothing"
                )
            ]
        }
    }
}

extension RequestParts {
    /// Returns the distance of two paths: the number of segments after their common prefix.
    fileprivate static func distance(_ first: String, _ second: String) -> Int {
        let left = first.split(separator: "/")
        let right = second.split(separator: "/")
        let shared = zip(left, right).prefix { $0 == $1 }.count
        return 2 + 2 * (max(left.count, right.count) - shared)
    }
}
