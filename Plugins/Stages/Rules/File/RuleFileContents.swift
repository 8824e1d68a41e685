// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSystem

/// The files that the rules of a text answer with, each of which is read once.
struct RuleFileContents {
    /// Why a file cannot be sent.
    struct Refusal: Error {
        let message: String

        fileprivate static let keys = Refusal(message: "the file holds keys; it cannot be sent")
        fileprivate static let place = Refusal(
            message: "answer files of rules from the page must be in the rule file's folder"
        )
    }

    /// The maximum size of one file.
    private static let maxBytes = 16 << 20

    private let protected: ProtectedFiles
    /// The maximum size of all files.
    private let limit: Int
    private var known: [String: Result<[UInt8], Refusal>] = [:]
    private var count = 0

    init(_ protected: ProtectedFiles, limit: Int = 64 << 20) {
        self.protected = protected
        self.limit = limit
    }

    /// Returns the content of a file.
    mutating func content(of path: String) throws(Refusal) -> [UInt8] {
        if let found = known[path] { return try found.get() }
        let found: Result<[UInt8], Refusal>
        do throws(Refusal) {
            let bytes = try read(path)
            count += bytes.count
            found = .success(bytes)
        } catch {
            found = .failure(error)
        }
        known[path] = found
        return try found.get()
    }

    private func read(_ path: String) throws(Refusal) -> [UInt8] {
        guard protected.permits(path) else { throw .place }
        // A file that cannot be resolved counts as protected; reading it says what is wrong.
        let isProtected = protected.contains(path)
        if isProtected, FileSystem.resolved(path) != nil { throw .keys }
        let found: [UInt8]
        let status: FileStatus
        do throws(FileError) {
            let file = try File(path, for: .readRegular)
            status = try file.status()
            found = try RuleFileLoader.read(file, atMost: Self.maxBytes + 1)
        } catch {
            throw Refusal(message: "the file cannot be read: \(error.reason)")
        }
        // Another file may have taken its place before it was opened.
        guard protected.permits(path) else { throw .place }
        let current = FileSystem.resolved(path).flatMap { try? FileSystem.status(of: $0) }
        let mark = "PRIVATE KEY-----".utf8.span
        let isKey = found.span.firstIndex(of: mark, in: 0..<found.count) != nil
        if isProtected || isKey || protected.contains(path) || protected.contains(status) {
            throw .keys
        }
        guard current?.isSameFile(as: status) == true else {
            throw Refusal(message: "the file cannot be read: it was just replaced")
        }
        guard found.count <= Self.maxBytes else {
            throw Refusal(message: "the file is too large; expected at most 16MiB")
        }
        guard found.count <= limit - count else {
            throw Refusal(message: "the files of all rules are too large; expected at most 64MiB")
        }
        return found
    }
}
