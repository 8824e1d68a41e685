// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineSystem

/// Writes a file under a temporary name, compressed or not, and moves it into place when it is
/// complete and on disk.
final class RecordingOutput {
    /// How many bytes are collected before they are written.
    private static let chunk = 1 << 18

    private let path: String
    private let temporary: String
    private let file: File
    private let encoder: ContentEncoder?
    private var lines: [UInt8] = []

    init(_ path: String, temporary: String, _ coding: ContentCoding?) throws {
        self.path = path
        self.temporary = temporary
        encoder = try coding.map { try ContentEncoder($0) }
        file = try File(temporary, for: .create)
    }

    /// Gives the new file the owner and the permissions of the former one, whose writer goes on.
    func copyOwner(of source: borrowing File) throws(FileError) { try file.copyOwner(of: source) }

    /// Writes a line and its end.
    func write(_ line: Span<UInt8>) throws {
        lines.append(copying: line)
        lines.append(0x0A)
        if lines.count >= Self.chunk { try drain(isLast: false) }
    }

    /// Completes the file, and replaces the former one if the check passes.
    func finish(check: () throws -> Void) throws {
        try drain(isLast: true)
        try file.syncData()
        try check()
        try FileSystem.move(temporary, to: path)
        try FileSystem.syncFolder(FileSystem.folder(of: path))
    }

    /// Removes the temporary file; does nothing after `finish`.
    func discard() { try? FileSystem.remove(temporary) }

    private func drain(isLast: Bool) throws {
        let bytes = lines
        lines = []
        guard let encoder else { return try file.write(bytes.span) }
        var coded: [UInt8] = []
        try encoder.encode(bytes.span, appendingTo: &coded)
        if isLast { try encoder.finish(appendingTo: &coded) }
        try file.write(coded.span)
    }
}
