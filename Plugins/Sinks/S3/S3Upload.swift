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

    init(_ client: S3Client, _ settings: S3Settings) {
        self.client = client
        prefix = settings.prefix
        partBytes = settings.partBytes
    }

    /// Stores a file, and removes it.
    func store(_ spooled: SpooledFile) throws {
        let file = try File(spooled.path, for: .read)
        let size = try file.status().size
        let key = spooled.key(prefix)
        if size <= partBytes {
            try giveUp(spooled)
            try client.put(key, read(file, 0..<size))
        } else {
            try storeParts(of: file, size, spooled, key)
        }
        try FileSystem.remove(spooled.path)
        try removeState(spooled)
    }

    /// Returns whether an upload of the file in parts has begun.
    func hasBegun(_ spooled: SpooledFile) throws -> Bool {
        try FileSystem.status(of: spooled.uploadPath) != nil
    }

    /// Removes the parts of an upload whose file is gone or is stored in another way.
    func giveUp(_ spooled: SpooledFile) throws {
        guard let upload = try state(spooled) else { return }
        try client.abort(spooled.key(prefix), upload)
        try removeState(spooled)
    }

    private func storeParts(
        of file: borrowing File,
        _ size: Int,
        _ spooled: SpooledFile,
        _ key: String
    ) throws {
        var ranges: [Range<Int>] = []
        for start in stride(from: 0, to: size, by: partBytes) {
            ranges.append(start..<min(start + partBytes, size))
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
        let state = try File(spooled.uploadPath, for: .replace)
        try state.write(id.utf8.span)
        try state.syncData()
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
