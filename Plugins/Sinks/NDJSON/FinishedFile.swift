// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineSystem

/// A file that is no longer written: it is compressed, or removed if there are too many.
///
/// Writers hold the lock of their file, in this process or another. So a file whose lock is free is
/// finished. The lock is also held while a finished file is processed.
struct FinishedFile {
    /// The path of the uncompressed file, without the suffix of a coding.
    let path: String
    /// The date and number in its name.
    let match: NameTemplate.Match
    /// The forms that exist: uncompressed, compressed, or both after a crash.
    var isPlain = false
    var codings: [ContentCoding] = []

    /// The suffix of an unfinished compressed file.
    static let temporary = ".tmp"
    static let allCodings: [ContentCoding] = [.gzip, .zstd]
    private static let chunk = 256 * 1024

    /// The name without the suffix of a coding.
    static func plainName(_ name: String) -> String {
        for coding in allCodings where name.hasSuffix(coding.suffix) {
            return String(name.dropLast(coding.suffix.count))
        }
        return name
    }

    /// Removes all forms of the file; returns `false` if it is still being written.
    func remove() throws(FileError) -> Bool {
        if isPlain {
            let file = try File(path, for: .read)
            guard try file.lock() else { return false }
            try FileSystem.remove(path)
        }
        for coding in codings { try FileSystem.remove(path + coding.suffix) }
        return true
    }

    /// Replaces the file with a compressed form; returns `false` if it is still being written.
    ///
    /// The compressed file gets its final name once it is complete and on disk. Only then is the
    /// uncompressed one removed, so that a power failure at any time leaves one complete file.
    /// **Throws**: `FileError`, `CodingError`, `NDJSONError`.
    func compress(_ coding: ContentCoding) throws -> Bool {
        let source = try File(path, for: .read)
        guard try source.lock() else { return false }
        let target = path + coding.suffix
        if codings.contains(coding) {
            guard try holdsSame(source, as: target, coding) else {
                throw NDJSONError("cannot compress '\(path)'; '\(target)' already exists")
            }
            try FileSystem.remove(path)
            return true
        }
        let unfinished = target + Self.temporary
        do {
            let file = try File(unfinished, for: .replace)
            _ = try file.lock()
            try Self.encode(source, to: file, coding)
            try file.syncData()
            try FileSystem.move(unfinished, to: target)
        } catch {
            try? FileSystem.remove(unfinished)
            throw error
        }
        try FileSystem.syncFolder(FileSystem.folder(of: path))
        try FileSystem.remove(path)
        return true
    }

    private static func encode(
        _ source: borrowing File,
        to target: borrowing File,
        _ coding: ContentCoding
    ) throws {
        let encoder = try ContentEncoder(coding)
        var input: [UInt8] = []
        var output: [UInt8] = []
        while try source.read(appendingTo: &input, atMost: chunk) > 0 {
            try encoder.encode(input.span, appendingTo: &output)
            try target.write(output.span)
            input.removeAll(keepingCapacity: true)
            output.removeAll(keepingCapacity: true)
        }
        try encoder.finish(appendingTo: &output)
        try target.write(output.span)
    }

    /// Whether a compressed file has the same content as the uncompressed one: true after a
    /// crash just before the uncompressed file was removed.
    private func holdsSame(
        _ plain: borrowing File,
        as path: String,
        _ coding: ContentCoding
    ) throws -> Bool {
        let file = try File(path, for: .read)
        let decoder = try ContentDecoder(coding, limits: .files)
        var input: [UInt8] = []
        var output: [UInt8] = []
        var offset = 0
        var same = [UInt8](repeating: 0, count: Self.chunk)
        while try file.read(appendingTo: &input, atMost: Self.chunk / 8) > 0 {
            try decoder.decode(input.span, appendingTo: &output)
            input.removeAll(keepingCapacity: true)
            if same.count < output.count { same = [UInt8](repeating: 0, count: output.count) }
            var space = same.mutableSpan
            let count = try plain.read(into: &space, at: offset)
            guard count >= output.count,
                same.span.extracting(0..<output.count).equals(output.span)
            else { return false }
            offset += output.count
            output.removeAll(keepingCapacity: true)
        }
        try decoder.finish()
        return try plain.status().size == offset
    }
}
