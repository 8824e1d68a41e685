// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCommandLine
internal import TaplineFormats
internal import TaplinePlugin
internal import TaplineSystem

/// Writes records in one of the formats, compressed if requested.
struct RecordingWriter: ~Copyable {
    /// How many bytes are collected before they are written.
    private static let chunk = 1 << 18

    private let isHAR: Bool
    private let encoder: ContentEncoder?
    private var lines = NDJSONWriter()
    private var entries = HARWriter()

    init(_ format: OutputFormat) throws {
        isHAR = format.isHAR
        encoder = try format.compression.map {
            try ContentEncoder($0 == "gz" ? .gzip : .zstd)
        }
    }

    /// What the format cannot hold.
    var losses: LossReport { entries.losses }

    mutating func begin() {
        if isHAR { entries.begin(version: VersionCommand.version) }
    }

    mutating func write(_ record: Record) {
        if isHAR { entries.write(record) } else { lines.write(record) }
    }

    mutating func end() {
        if isHAR { entries.end() }
    }

    /// Writes the collected bytes if they fill a chunk or are the last ones.
    mutating func drain(to file: borrowing File, isLast: Bool = false) throws {
        guard isLast || (isHAR ? entries.count : lines.count) >= Self.chunk else { return }
        if let encoder {
            var coded: [UInt8] = []
            if isHAR {
                try encoder.encode(entries.bytes, appendingTo: &coded)
            } else {
                try encoder.encode(lines.bytes, appendingTo: &coded)
            }
            if isLast { try encoder.finish(appendingTo: &coded) }
            try file.write(coded.span)
        } else if isHAR {
            try file.write(entries.bytes)
        } else {
            try file.write(lines.bytes)
        }
        entries.removeAll()
        lines.removeAll()
    }
}
