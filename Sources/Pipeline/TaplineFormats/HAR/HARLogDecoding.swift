// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Stores the members of a HAR file's log, other than the entries, in an exchange.
enum HARLogDecoding {
    /// Adds members of a log, with their keys, to those that the exchange has.
    static func add(
        _ log: JSONValue,
        to exchange: inout Exchange,
        limit: Int,
        _ notes: inout HARNotes
    ) {
        var json = JSONWriter()
        json.beginObject()
        json.key("log")
        json.beginObject()
        let start = json.count
        var members = log.members
        while let member = members.next() {
            let key = member.key
            if key.matches("version"), member.value.matches("1.2") { continue }
            if key.matches("creator"), isOurs(member.value) { continue }
            guard json.count + member.value.bytes.count <= limit else {
                notes.losses.count("log (beyond the limit)")
                continue
            }
            json.key(key.bytes)
            json.copy(member.value)
        }
        if json.count == start { return }
        json.endObject()
        var bytes = Array(copying: json.bytes)
        if exchange.har.isEmpty {
            bytes.append(.ascii("}"))
        } else {
            bytes.append(.ascii(","))
            let entry = exchange.har.span
            bytes.append(copying: entry.extracting(1..<entry.count))
        }
        exchange.har = ByteString(bytes)
    }

    /// Whether a creator is Tapline, which is written anyway.
    private static func isOurs(_ creator: JSONValue) -> Bool {
        guard creator.kind == .object, creator.member("name")?.matches("tapline") == true else {
            return false
        }
        var members = creator.members
        while let member = members.next() {
            if !member.key.matches("name") && !member.key.matches("version") { return false }
        }
        return true
    }
}
