// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON

/// Reads the codings of an exchange's bodies from its column `extra`.
struct BodyCodings: ~Copyable {
    private var parser = JSONParser(surrogates: .replace)

    /// Returns the codings of both bodies; empty lists if there are none.
    mutating func read(
        _ extra: Span<UInt8>
    ) -> (request: [ContentCoding], response: [ContentCoding]) {
        guard let document = try? parser.parse(extra) else { return ([], []) }
        return (Self.codings(document.root, "request"), Self.codings(document.root, "response"))
    }

    private static func codings(_ root: JSONValue, _ side: StaticString) -> [ContentCoding] {
        guard let message = root.member(side), let body = message.member("body"),
            let coding = body.member("coding"), coding.kind == .string
        else { return [] }
        return ContentCoding.list(coding.bytes)
    }
}
