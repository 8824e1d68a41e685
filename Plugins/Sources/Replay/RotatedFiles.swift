// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// A file in the folder of a followed path.
struct RotatedFile: Sendable, Equatable {
    let name: String
    let identity: FileIdentity
    /// When its bytes last changed, in microseconds since 1970.
    let modified: Int64
}

/// Finds the files that were moved away from a followed path.
///
/// Programs that rotate files give them the name of the path with a number (`a.ndjson.1`, the newest
/// one first) or a date (`a.ndjson-20261127`, `a-2026-11-27T10-00.ndjson`). Moving a file does not
/// change its time, so files are in the order in which they were last written.
struct RotatedFiles {
    private let folder: String
    private let name: String

    /// Creates the search for a followed path.
    init(of path: String) {
        folder = FileSystem.folder(of: path)
        name = FileSystem.name(of: path)
    }

    /// The path of a file.
    func path(of file: RotatedFile) -> String { "\(folder)/\(file.name)" }

    /// The regular files in the folder; empty if it cannot be read.
    var all: [RotatedFile] {
        ((try? FileSystem.names(in: folder)) ?? []).compactMap { name in
            guard let status = try? FileSystem.status(of: "\(folder)/\(name)"),
                status.kind == .regular
            else { return nil }
            let identity = FileIdentity(status)
            return RotatedFile(name: name, identity: identity, modified: status.modified)
        }
    }

    /// Finds the oldest file that was written after the last one that was read.
    ///
    /// - Parameters:
    ///   - last: The last file that was read, with the name that it had at first.
    ///   - files: The files in the folder.
    ///   - awaited: Files that the path has named since, whatever their names are now.
    ///   - others: Files that are not wanted: those that were read, and those of other paths.
    /// - Returns: The file; `nil` if there is none.
    func next(
        after last: RotatedFile,
        of files: [RotatedFile],
        awaited: [FileIdentity],
        besides others: Set<FileIdentity>
    ) -> RotatedFile? {
        let last = files.first { $0.identity == last.identity } ?? last
        return files.filter { file in
            if file.identity == last.identity || others.contains(file.identity) { return false }
            return awaited.contains(file.identity)
                || isRotated(file.name) && isOlder(last, than: file)
        }
        .min { isOlder($0, than: $1) }
    }

    /// Returns whether one file was written before another one.
    private func isOlder(_ file: RotatedFile, than other: RotatedFile) -> Bool {
        if file.modified != other.modified { return file.modified < other.modified }
        if let first = number(of: file.name), let second = number(of: other.name) {
            return first > second
        }
        return file.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }

    /// The number of a file that was moved: 2 of `a.ndjson.2`.
    private func number(of other: String) -> Int? {
        guard other.hasPrefix("\(name).") else { return nil }
        let text = other.utf8.dropFirst(name.utf8.count + 1)
        guard (1...6).contains(text.count), text.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        return Int(String(decoding: text, as: UTF8.self))
    }

    /// Whether a file has a name that programs give to files that they move away from the path.
    func isRotated(_ other: String) -> Bool {
        if other.hasPrefix(name) {
            return Self.isMark(other.utf8.dropFirst(name.utf8.count), leastDigits: 1)
        }
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
            return false
        }
        let (stem, ending) = (name[..<dot], name[dot...])
        let length = stem.utf8.count + ending.utf8.count
        guard other.utf8.count > length, other.hasPrefix(stem), other.hasSuffix(ending) else {
            return false
        }
        let mark = other.utf8.dropFirst(stem.utf8.count).dropLast(ending.utf8.count)
        // Another program may write 'a-2.ndjson' at the same time.
        return Self.isMark(mark, leastDigits: mark.first == UInt8(ascii: ".") ? 1 : 6)
    }

    /// Whether a text is a number or a date after a separator.
    private static func isMark(_ text: Substring.UTF8View, leastDigits: Int) -> Bool {
        guard let first = text.first, ".-_".utf8.contains(first) else { return false }
        let digits = text.count(where: { 0x30...0x39 ~= $0 })
        return digits >= leastDigits
            && text.allSatisfy { 0x30...0x39 ~= $0 || ".-_:+TZ".utf8.contains($0) }
    }
}
