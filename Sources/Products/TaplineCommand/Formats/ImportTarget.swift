// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineFormats
internal import TaplinePlugin
internal import TaplineSystem

/// Where imported records are written.
protocol ImportTarget: AnyObject {
    /// Whether records need the hashes of their bodies.
    var needsDigests: Bool { get }
    /// Records that were there already.
    var duplicates: Int { get }
    /// What the format cannot hold.
    var losses: LossReport { get }

    /// Writes a record, possibly later.
    func write(_ record: Record) throws

    /// Completes the output.
    func finish() throws

    /// Ends without the output, as far as it is not written yet.
    func abandon()
}

/// A new recording.
final class RecordingTarget: ImportTarget {
    private let output: OutputFile
    private var writer: RecordingWriter

    init(_ path: String, _ format: OutputFormat) throws {
        writer = try RecordingWriter(format)
        output = try OutputFile(path)
        writer.begin()
    }

    var needsDigests: Bool { false }

    var duplicates: Int { 0 }

    var losses: LossReport { writer.losses }

    func write(_ record: Record) throws {
        writer.write(record)
        try writer.drain(to: output.file)
    }

    func finish() throws {
        writer.end()
        try writer.drain(to: output.file, isLast: true)
        try output.finish()
    }

    func abandon() { output.abandon() }
}

/// A database, new or with exchanges in it.
extension DatabaseOutput: ImportTarget {
    var duplicates: Int { counts.duplicates }

    var losses: LossReport { LossReport() }
}
