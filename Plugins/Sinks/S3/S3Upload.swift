// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSystem

/// Stores files as objects: small ones in one request, others in parts.
///
/// The id of an upload in parts is kept beside its file until the object exists. After a failure or
/// a restart the upload continues with the parts that the server does not have.
struct S3Upload: Sendable {
    private let client: S3Client
    private let prefix: String
    private let partBytes: Int
    /// As many as one list of the store has; it accepts ten times as many.
    private static let maxParts = 1000

    init(_ client: S3Client, _ settings: S3Settings) {
        self.client = client
        prefix = settings.prefix
        partBytes = settings.partBytes
    }

    /// Stores a file, and removes it.
    ///
    /// If `hasBegun` is true afterwards, parts are left that `giveUp` removes.
    func store(_ spooled: SpooledFile) throws {
        let file = try File(spooled.path, for: .read)
        let size = try file.status().size
        let key = spooled.key(prefix)
        let isSmall = size <= partBytes
        if isSmall {
            try client.put(key, read(file, 0..<size))
        } else {
            try storeParts(of: file, size, spooled, key)
        }
        try FileSystem.remove(spooled.path)
        // Parts of a file that is small now are still to be removed.
        if !isSmall { try removeState(spooled) }
    }

    /// Returns whether an upload of the file in parts has begun.
    func hasBegun(_ spooled: SpooledFile) throws -> Bool {
        try FileSystem.status(of: spooled.uploadPath) != nil
    }

    /// Removes the parts of an upload whose file is gone or is stored in another way.
    func giveUp(_ spooled: SpooledFile) throws {
        if let upload = try state(spooled) { try client.abort(spooled.key(prefix), upload) }
        try removeState(spooled)
    }

    private func storeParts(
        of file: borrowing File,
        _ size: Int,
        _ spooled: SpooledFile,
        _ key: String
    ) throws {
        var ranges: [Range<Int>] = []
        // A file of a run with larger parts must not have more of them than the store accepts.
        let step = max(partBytes, (size + Self.maxParts - 1) / Self.maxParts)
        for start in stride(from: 0, to: size, by: step) {
            ranges.append(start..<min(start + step, size))
        }
        var present: [Int: S3Answer.Part] = [:]
        var upload = try state(spooled)
        if let id = upload {
            let parts = try client.parts(key, id)
            for part in parts ?? [] { present[part.number] = part }
            if parts == nil { upload = nil }
        }
        let id = try upload ?? begin(spooled, key)
        var tags: [String] = []
        for (index, range) in ranges.enumerated() {
            if let part = present[index + 1], part.size == range.count {
                tags.append(part.tag)
            } else {
                tags.append(try client.part(key, id, index + 1, read(file, range)))
            }
        }
        try client.complete(key, id, tags)
    }

    private func begin(_ spooled: SpooledFile, _ key: String) throws -> String {
        let id = try client.begin(key)
        // Its name appears once it is complete and on disk, and so does its entry in the folder:
        // without the id, nobody could remove the parts after a crash.
        let temporary = spooled.uploadPath + SpoolFolder.temporary
        let state = try File(temporary, for: .replace)
        try state.write(id.utf8.span)
        try state.syncData()
        try FileSystem.move(temporary, to: spooled.uploadPath)
        try FileSystem.syncFolder(FileSystem.folder(of: spooled.path))
        return id
    }

    private func state(_ spooled: SpooledFile) throws -> String? {
        guard try FileSystem.status(of: spooled.uploadPath) != nil else { return nil }
        var bytes: [UInt8] = []
        let file = try File(spooled.uploadPath, for: .read)
        while try file.read(appendingTo: &bytes, atMost: 4096) > 0, bytes.count < 65_536 {}
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private func removeState(_ spooled: SpooledFile) throws {
        if try FileSystem.status(of: spooled.uploadPath) != nil {
            try FileSystem.remove(spooled.uploadPath)
        }
    }

    private func read(_ file: borrowing File, _ range: Range<Int>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var space = bytes.mutableSpan
        let count = try file.read(into: &space, at: range.lowerBound)
        guard count == range.count else {
            throw S3SinkError("'\(file.path)' was changed by another program")
        }
        return bytes
    }
}
