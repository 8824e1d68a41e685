// SPDX-License-Identifier: MIT

/// What was found, by the words that reports use.
public enum LeakKind: Sendable, Hashable {
    /// One of the given values, by its name.
    case value(String)
    /// What a detector takes for a secret, by the detector's name.
    case detector(String)

    /// The word for it.
    public var name: String {
        switch self {
        case .value(let name), .detector(let name): name
        }
    }
}

/// Where something stands, as well as the format says.
///
/// Nothing in it comes from what was scanned, apart from record ids that are UUIDs, and names of
/// keys, tables and columns that formats define.
public struct LeakPlace: Sendable, Hashable {
    /// The line, from 1, where the file is text.
    public var line: Int?
    /// The byte, from 0, after decompression; nothing for a value of a database.
    public var offset: Int?
    /// The row of a database, from 1.
    public var row: Int?
    /// The record's id.
    public var record: String?
    /// The part of the record, such as `request.headers[3]`, or the table and column.
    public var path: String?

    /// A place that nothing is known of yet.
    public init() {}
}

/// One value or secret at one place.
public struct Leak: Sendable, Hashable {
    /// The file, with what leaks in its very name masked.
    public let file: String
    /// Where in the file.
    public let place: LeakPlace
    /// What it is; never the value, nor a hash of it.
    public let kind: LeakKind
    /// What has to be decoded to see it, outermost first.
    public let codings: [String]
}

/// What a scan tells as it goes.
public enum LeakEvent: Sendable {
    /// Something was found.
    case leak(Leak)
    /// A file, or a part of it, could not be looked at.
    case unread(file: String, reason: String)
    /// A link or a device in a folder was passed over.
    case skipped(file: String, reason: String)
}

/// What a scan did.
public struct LeakTotals: Sendable, Hashable {
    /// Files that were looked at.
    public var files = 0
    /// Bytes that were looked at, after decompression.
    public var bytes = 0
    /// Values and secrets that were found.
    public var leaks = 0
    /// Files, or parts, that could not be looked at.
    public var unread = 0
    /// Links and devices that were passed over.
    public var skipped = 0
}
