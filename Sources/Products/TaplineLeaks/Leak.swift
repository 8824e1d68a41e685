// SPDX-License-Identifier: MIT

/// The kind of a finding, as named in reports.
package enum LeakKind: Sendable, Hashable {
    /// One of the given values, with its name.
    case value(String)
    /// A secret that a detector found, with the detector's name.
    case detector(String)

    /// The name in reports.
    package var name: String {
        switch self {
        case .value(let name), .detector(let name): name
        }
    }
}

/// The place of a finding, as precise as the format allows.
///
/// Nothing in it comes from the scanned content, except record ids that are UUIDs, and the names of
/// keys, tables and columns that formats define.
package struct LeakPlace: Sendable, Hashable {
    /// The line, from 1, if the file is text.
    package var line: Int?
    /// The byte offset, from 0, after decompression; `nil` for a value in a database.
    package var offset: Int?
    /// The database row, from 1.
    package var row: Int?
    /// The record's id.
    package var record: String?
    /// The part of the record, such as `request.headers[3]`, or the table and column.
    package var path: String?

    /// Makes an empty place.
    package init() {}
}

/// A value or a secret at one place.
package struct Leak: Sendable, Hashable {
    /// The file; leaks in its name are masked.
    package let file: String
    /// The place in the file.
    package let place: LeakPlace
    /// The kind of finding; it holds neither the value nor a hash of it.
    package let kind: LeakKind
    /// The codings to decode to see it, outermost first.
    package let codings: [String]
}

/// An event of a scan.
package enum LeakEvent: Sendable {
    /// A value or a secret was found.
    case leak(Leak)
    /// A file, or a part of it, could not be scanned.
    case unread(file: String, reason: String)
    /// A link or a device in a folder was skipped.
    case skipped(file: String, reason: String)
}

/// The totals of a scan.
package struct LeakTotals: Sendable, Hashable {
    /// The number of scanned files.
    package var files = 0
    /// The number of scanned bytes, after decompression.
    package var bytes = 0
    /// The number of values and secrets found.
    package var leaks = 0
    /// The number of files, or parts of files, that could not be scanned.
    package var unread = 0
    /// The number of skipped links and devices.
    package var skipped = 0
}
