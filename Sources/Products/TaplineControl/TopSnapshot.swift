// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineStatistics

/// What `/top` answers.
package struct TopSnapshot: Sendable {
    /// One component.
    package struct Row: Sendable {
        var kind = ""
        var id = ""
        var state = ""
        var generation = 0
        /// The name and the version of the program that it runs; `nil` if there is none.
        var program: String?
        var reason: String?
        var received = 0
        var sent = 0
        var lost = 0
        var queued: Int?
        var spillBytes = 0
        var lag = 0
        var times: Distribution?
    }

    var version = ""
    /// The time of the pipeline's machine, in microseconds since 1970.
    var time = 0
    var uptime = 0.0
    var generation = 0
    var isReady = false
    var isDraining = false
    var blocked = 0
    var paused = 0
    var held = 0
    var limit = 0
    var resident = 0
    /// The processor time of the process, in microseconds.
    var processorTime = 0
    var descriptors = 0
    var rows: [Row] = []

    init() {}

    /// Parses the answer; `nil` if it is none.
    package init?(_ bytes: [UInt8]) {
        var parser = JSONParser()
        guard let document = try? parser.parse(bytes.span), document.root.kind == .object else {
            return nil
        }
        var members = document.root.members
        while let member = members.next() {
            let value = member.value
            switch member.key.asString {
            case "version": version = value.asString ?? ""
            case "time_us": time = value.integer
            case "uptime_ms": uptime = value.number
            case "generation": generation = value.integer
            case "ready": isReady = value.asBool ?? false
            case "draining": isDraining = value.asBool ?? false
            case "blocked": blocked = value.integer
            case "paused": paused = value.integer
            case "cpu_us": processorTime = value.integer
            case "descriptors": descriptors = value.integer
            case "memory": readMemory(value)
            case "components":
                var elements = value.elements
                while let element = elements.next() { rows.append(Row(element)) }
            default: break
            }
        }
    }

    private mutating func readMemory(_ object: JSONValue) {
        var members = object.members
        while let member = members.next() {
            switch member.key.asString {
            case "held_bytes": held = member.value.integer
            case "limit_bytes": limit = member.value.integer
            case "resident_bytes": resident = member.value.integer
            default: break
            }
        }
    }
}

extension TopSnapshot.Row {
    fileprivate init(_ object: JSONValue) {
        var members = object.members
        while let member = members.next() {
            let value = member.value
            switch member.key.asString {
            case "kind": kind = value.asString ?? ""
            case "id": id = value.asString ?? ""
            case "state": state = value.asString ?? ""
            case "generation": generation = value.integer
            case "program": program = Self.program(value)
            case "reason": reason = value.asString
            case "received": received = value.integer
            case "sent": sent = value.integer
            case "lost": lost = value.integer
            case "queued": queued = value.integer
            case "spill_bytes": spillBytes = value.integer
            case "lag_us": lag = value.integer
            case "buckets":
                var counts: [Int] = []
                var elements = value.elements
                while let element = elements.next() { counts.append(element.integer) }
                times = Distribution(sparseCounts: counts)
            default: break
            }
        }
    }
}

extension TopSnapshot.Row {
    private static func program(_ object: JSONValue) -> String? {
        let parts = [object.member("name")?.asString, object.member("version")?.asString]
        let known = parts.compactMap(\.self).filter { !$0.isEmpty }
        return known.isEmpty ? nil : known.joined(separator: " ")
    }
}

extension JSONValue {
    /// The number; 0 for other kinds, and for one that is too large.
    fileprivate var number: Double { asDouble.flatMap { $0.isFinite ? $0 : nil } ?? 0 }

    /// The whole number; 0 for what is none.
    fileprivate var integer: Int { asInt64.map { Int($0) } ?? 0 }
}
