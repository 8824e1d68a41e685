// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineSystem
import TestSupport

@testable import TaplineStore

/// Replaces plain texts, also in bodies with a declared coding.
final class PlainEraser: ContentEraser, Sendable {
    static let secret = "qz7secretq9wkey"

    private let secrets: [[UInt8]]
    /// Called for each text that has a secret.
    private let onMatch: @Sendable () -> Void
    /// Whether every part is too large.
    private let hasLimit: Bool
    /// Whether no JSON with a secret can be kept.
    private let isStructural: Bool
    /// How many names become equal in each JSON object.
    private let joinedNames: Int

    init(
        _ secrets: [String] = [secret],
        hasLimit: Bool = false,
        isStructural: Bool = false,
        joinedNames: Int = 0,
        onMatch: @escaping @Sendable () -> Void = {}
    ) {
        self.secrets = secrets.map { Array($0.utf8) }
        self.hasLimit = hasLimit
        self.isStructural = isStructural
        self.joinedNames = joinedNames
        self.onMatch = onMatch
    }

    func areClean(_ texts: Span<UInt8>) -> Bool {
        !hasLimit && !secrets.contains { texts.contains($0.span, ignoringCase: false) }
            && texts.firstIndex(of: UInt8(ascii: "\\")) == nil
    }

    func erase(text: Span<UInt8>) -> ErasedContent? {
        var bytes = Array(copying: text)
        var count = 0
        for secret in secrets {
            while let start = bytes.span.firstIndex(of: secret.span, in: 0..<bytes.count) {
                bytes.replaceSubrange(start..<start + secret.count, with: Array("[erased]".utf8))
                count += 1
            }
        }
        guard count > 0 else { return nil }
        onMatch()
        return ErasedContent(bytes, count: count)
    }

    func erase(json: Span<UInt8>) -> ErasedContent? {
        guard let erased = erase(text: json) else { return nil }
        return isStructural ? ErasedContent([], count: erased.count) : erased
    }

    func erase(body: Span<UInt8>, codings: [[ContentCoding]]) -> ErasedContent? {
        for list in codings {
            guard let decoded = try? ContentCoding.decode(body, codings: list),
                let erased = erase(text: decoded.span)
            else { continue }
            var coded = erased.bytes
            for coding in list {
                guard let next = try? coding.encode(coded.span) else { return nil }
                coded = next
            }
            return ErasedContent(coded, count: erased.count)
        }
        return erase(text: body)
    }

    func takeMetLimit() -> Bool { hasLimit }

    func takeJoinedNames() -> Int { joinedNames }
}

/// Searches the raw bytes of all files in a folder.
enum RawFiles {
    /// The paths of all files, with their content.
    static func all(in folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileSystem.names(in: folder) {
            let path = "\(folder)/\(name)"
            if try FileSystem.status(of: path)?.kind == .folder {
                files.merge(try all(in: path)) { first, _ in first }
            } else {
                files[path] = try TestFiles.bytes(of: path)
            }
        }
        return files
    }

    /// The files in a folder that contain a text, in any case.
    static func containing(_ text: String, in folder: String) throws -> [String] {
        let part = Array(text.lowercased().utf8)
        return try all(in: folder)
            .filter { $0.value.span.contains(part.span, ignoringCase: true) }
            .map(\.key).sorted()
    }

    /// The files in a folder that contain bytes.
    static func containing(_ part: [UInt8], in folder: String) throws -> [String] {
        try all(in: folder)
            .filter { $0.value.span.contains(part.span, ignoringCase: false) }
            .map(\.key).sorted()
    }
}
