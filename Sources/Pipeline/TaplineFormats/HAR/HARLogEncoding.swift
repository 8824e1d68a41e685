// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Writes the members of a HAR file's log other than the entries.
///
/// Those of the first record are written before the first entry, those of later records after the
/// last.
struct HARLogEncoding {
    /// What could not be represented.
    private(set) var losses = LossReport()
    private var version = ""
    private var isBegun = false
    /// The keys written so far, so that none is written twice.
    private var keys: [[UInt8]] = []
    /// Members for the end of the file, each with a leading comma.
    private var tail: [UInt8] = []

    /// The maximum number of members other than the entries.
    private static let maxKeys = 256

    init() {}

    init(version: String) { self.version = version }

    /// Takes the log of a record; writes the head of the file if that has not been done.
    mutating func take(_ log: JSONValue?, to json: inout JSONWriter) {
        if !isBegun {
            isBegun = true
            begin(&json)
            members(of: log, to: &json)
            json.key("entries")
            json.beginArray()
        } else if let log {
            var later = JSONWriter()
            members(of: log, to: &later)
            if later.count == 0 { return }
            tail.append(.ascii(","))
            tail.append(copying: later.bytes)
        }
    }

    /// Writes the remaining members at the end of the log.
    mutating func finish(_ json: inout JSONWriter) {
        if tail.isEmpty { return }
        for byte in tail { json.separator(byte) }
        tail = []
    }

    private func begin(_ json: inout JSONWriter) {
        json.beginObject()
        json.key("log")
        json.beginObject()
        json.key("version")
        json.string("1.2" as StaticString)
        json.key("creator")
        json.beginObject()
        json.key("name")
        json.string("tapline" as StaticString)
        json.key("version")
        json.string(version)
        json.endObject()
    }

    private mutating func members(of log: JSONValue?, to json: inout JSONWriter) {
        guard let log else { return }
        var members = log.members
        while let member = members.next() {
            let key = member.key
            if key.matches("version") || key.matches("entries") {
                losses.count("log.version")
                continue
            }
            var name = Array(copying: key.bytes)
            if key.matches("creator") { name = Array("_creator".utf8) }
            guard keys.count < Self.maxKeys else {
                losses.count("log (of more than 256 members)")
                continue
            }
            guard !keys.contains(name) else {
                losses.count("log (of more than one file)")
                continue
            }
            json.key(name.span)
            json.copy(member.value)
            keys.append(name)
        }
    }
}
