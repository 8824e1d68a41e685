// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineModel

/// Counts in which parts and tags exchanges differ from what they were; keeps none of their content
/// but the names of tags.
struct RecordChanges {
    /// How many names of tags are counted on their own.
    private static let maxTags = 40

    /// How many exchanges have changed.
    private(set) var count = 0
    private var parts: [String: Int] = [:]
    private var tags: [String: (added: Int, changed: Int, removed: Int)] = [:]

    /// Compares an exchange with its new form.
    mutating func note(from old: Exchange, to new: Exchange) {
        guard old != new else { return }
        count += 1
        let before = parts.values.reduce(0, +)
        notePart("request line", Self.hasChangedLine(old.request, new.request))
        notePart("request fields", old.request.fields != new.request.fields)
        notePart("request trailers", old.request.trailers != new.request.trailers)
        notePart("request body", old.request.body != new.request.body)
        notePart(
            "response line",
            old.response?.status != new.response?.status
                || old.response?.reason != new.response?.reason
        )
        notePart("response fields", old.response?.fields != new.response?.fields)
        notePart("response trailers", old.response?.trailers != new.response?.trailers)
        notePart("response body", old.response?.body != new.response?.body)
        notePart("messages", old.messages != new.messages)
        notePart("error", old.error != new.error)
        notePart("original", old.original != new.original)
        notePart("har", old.har != new.har)
        notePart("tags", old.tags != new.tags)
        let isElsewhere = parts.values.reduce(0, +) == before
        notePart("other parts", isElsewhere)
        noteTags(old.tags, new.tags)
    }

    private static func hasChangedLine(_ old: Request, _ new: Request) -> Bool {
        old.method != new.method || old.target != new.target || old.scheme != new.scheme
            || old.authority != new.authority
    }

    private mutating func notePart(_ name: String, _ hasChanged: Bool) {
        if hasChanged { parts[name, default: 0] += 1 }
    }

    private mutating func noteTags(_ old: Tags, _ new: Tags) {
        guard old != new else { return }
        for tag in new {
            guard let former = old[tag.name] else {
                tags[tag.name, default: (0, 0, 0)].added += 1
                continue
            }
            if former != tag.value { tags[tag.name, default: (0, 0, 0)].changed += 1 }
        }
        for tag in old where new[tag.name] == nil {
            tags[tag.name, default: (0, 0, 0)].removed += 1
        }
    }

    /// The counts as tables.
    var lines: [String] {
        var lines: [String] = []
        if !parts.isEmpty {
            let rows = parts.sorted { $0.key < $1.key }.map { ["  \($0.key)", "\($0.value)"] }
            lines += Columns.table([["  part", "exchanges"]] + rows)
        }
        if !tags.isEmpty {
            let rows = tags.sorted { $0.key < $1.key }.prefix(Self.maxTags).map { name, counts in
                ["  \(name)", "\(counts.added)", "\(counts.changed)", "\(counts.removed)"]
            }
            lines += Columns.table([["  tag", "added", "changed", "removed"]] + rows)
            if tags.count > Self.maxTags {
                lines.append("  and \(tags.count - Self.maxTags) more tags")
            }
        }
        return lines
    }
}
