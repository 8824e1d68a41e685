// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The parts in which two states of an exchange differ, by name and kind, without any value.
struct ExchangeDifference {
    /// How many names of one part are shown for each kind of change; others are counted.
    static let maxNames = 64
    /// The longest name that is shown, in bytes; a part of a name could hide a secret from
    /// detectors.
    static let maxNameBytes = 256

    /// The changes that were found.
    private(set) var changes: [ProvenanceChange] = []
    private let hidesRemovedNames: Bool

    /// Creates an empty difference.
    ///
    /// - Parameter hidesRemovedNames: Whether names that exist only before the change are counted
    ///   instead of shown, since they may be secrets that were removed.
    init(hidesRemovedNames: Bool = false) { self.hidesRemovedNames = hidesRemovedNames }

    /// Adds what differs between two requests.
    mutating func compare(_ old: Request, _ new: Request) {
        if old.isIdentical(to: new) { return }
        compare(.method, old.method, new.method)
        if old.target != new.target || old.authority != new.authority || old.scheme != new.scheme {
            add(.url, .changed)
        }
        compare(.requestVersion, old.version, new.version)
        compare(.requestHeader, old.fields, new.fields)
        compare(.requestBody, old.body, new.body)
        compare(.requestTrailer, old.trailers, new.trailers)
    }

    /// Adds what differs between two responses, or that there was none before or after.
    mutating func compare(_ old: Response?, _ new: Response?) {
        guard let old else {
            if new != nil { add(.response, .set) }
            return
        }
        guard let new else { return add(.response, .removed) }
        if old.isIdentical(to: new) { return }
        compare(.status, old.status, new.status)
        compare(.reason, old.reason, new.reason)
        compare(.responseVersion, old.version, new.version)
        compare(.responseHeader, old.fields, new.fields)
        compare(.responseBody, old.body, new.body)
        compare(.responseTrailer, old.trailers, new.trailers)
        compare(.interim, old.interim, new.interim)
    }

    /// Adds the tags or variables that differ.
    mutating func compare(_ part: ProvenancePart, _ old: Tags, _ new: Tags) {
        if old.isIdentical(to: new) { return }
        var (set, changed): ([String], [String]) = ([], [])
        for tag in new {
            guard let value = old[tag.name] else {
                set.append(tag.name)
                continue
            }
            if value != tag.value { changed.append(tag.name) }
        }
        add(part, .set, named: set)
        add(part, .changed, named: changed)
        add(part, .removed, named: old.map(\.name).filter { new[$0] == nil })
    }

    /// Adds what differs besides requests, responses and tags.
    mutating func compareFacts(_ old: Exchange, _ new: borrowing Exchange) {
        if old.hasIdenticalFacts(to: new) { return }
        compare(.id, old.id, new.id)
        compare(.source, old.source, new.source)
        compare(.state, old.state, new.state)
        compare(.started, old.started, new.started)
        compare(.timing, old.timing, new.timing)
        compare(.connection, old.connection, new.connection)
        compare(optional: .bytes, old.bytes, new.bytes)
        compare(.messages, old.messages, new.messages)
        compare(.original, old.original, new.original)
        compare(optional: .error, old.error, new.error)
        compare(.har, old.har, new.har)
        let (before, after) = (old.extra ?? ExchangeExtra(), new.extra ?? ExchangeExtra())
        compare(optional: .replay, before.replay, after.replay)
        compare(.notes, before.notes, after.notes)
        compare(optional: .stream, before.stream, after.stream)
        compare(optional: .grpc, before.grpc, after.grpc)
    }

    // MARK: Parts

    private mutating func compare<Value: Equatable>(
        _ part: ProvenancePart,
        _ old: Value,
        _ new: Value
    ) {
        if old != new { add(part, .changed) }
    }

    private mutating func compare<Value: Equatable>(
        optional part: ProvenancePart,
        _ old: Value?,
        _ new: Value?
    ) {
        if old != new { add(part, old == nil ? .set : new == nil ? .removed : .changed) }
    }

    private mutating func compare(_ part: ProvenancePart, _ old: Body, _ new: Body) {
        if old.isIdentical(to: new) || old == new { return }
        let kind: ProvenanceKind =
            old.isAbsent ? .set : new.isAbsent ? .removed : .changed
        changes.append(
            ProvenanceChange(
                part: part.rawValue,
                kind: kind.rawValue,
                before: old.bytes.count,
                after: new.bytes.count
            )
        )
    }

    private mutating func compare(
        _ part: ProvenancePart,
        _ old: FieldSection,
        _ new: FieldSection
    ) {
        if old.isIdentical(to: new) || old == new { return }
        let (before, after) = (NamedFields(old), NamedFields(new))
        let count = changes.count
        var (set, changed): ([String], [String]) = ([], [])
        for name in after.order {
            if before.positions[name] == nil {
                set.append(after.shown(name))
            } else if !before.hasSameValues(of: name, as: after) {
                changed.append(after.shown(name))
            }
        }
        let removed = before.order.filter { after.positions[$0] == nil }
        add(part, .set, named: set)
        add(part, .changed, named: changed)
        add(part, .removed, named: removed.map(before.shown))
        // The order of the fields, or the case of a name.
        if changes.count == count { add(part, .changed) }
    }

    private mutating func add(_ part: ProvenancePart, _ kind: ProvenanceKind) {
        changes.append(ProvenanceChange(part: part.rawValue, kind: kind.rawValue))
    }

    private mutating func add(
        _ part: ProvenancePart,
        _ kind: ProvenanceKind,
        named names: [String]
    ) {
        var shown = 0
        if kind != .removed || !hidesRemovedNames {
            for name in names where shown < Self.maxNames {
                guard 1...Self.maxNameBytes ~= name.utf8.count else { continue }
                changes.append(
                    ProvenanceChange(part: part.rawValue, name: name, kind: kind.rawValue)
                )
                shown += 1
            }
        }
        guard names.count > shown else { return }
        changes.append(
            ProvenanceChange(
                part: part.rawValue,
                kind: kind.rawValue,
                count: names.count - shown
            )
        )
    }
}

/// The fields of a section, grouped by their names in lowercase.
private struct NamedFields {
    private let fields: FieldSection
    /// The names, in the order of the first field of each.
    private(set) var order: [ByteString] = []
    private(set) var positions: [ByteString: [Int]] = [:]

    init(_ fields: FieldSection) {
        self.fields = fields
        for position in fields.indices {
            let key = ByteString(Array(lowercasing: fields.name(at: position)))
            if positions[key] == nil { order.append(key) }
            positions[key, default: []].append(position)
        }
    }

    /// The name as written in the first of its fields.
    func shown(_ name: ByteString) -> String {
        guard let position = positions[name]?.first else { return name.description }
        return ByteString(fields.name(at: position)).description
    }

    /// Whether the fields of a name have the same values in both sections, in the same order.
    func hasSameValues(of name: ByteString, as other: NamedFields) -> Bool {
        let (own, others) = (positions[name] ?? [], other.positions[name] ?? [])
        guard own.count == others.count else { return false }
        for (mine, theirs) in zip(own, others) {
            guard fields.value(at: mine).equals(other.fields.value(at: theirs)) else {
                return false
            }
        }
        return true
    }
}
