// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSystem

/// Distinguishes a pipeline file from a store by its content.
enum PipelineText {
    /// How much of a file is read.
    private static let maxBytes = 64 << 10

    /// Returns whether a file is the text of a pipeline: it has lines, and one of them begins with
    /// the key `sources`.
    ///
    /// Lines of NDJSON and HAR begin with a brace or a quote, and databases are no text. A file that
    /// cannot be read is none.
    static func isPipeline(_ path: String) -> Bool {
        guard (try? FileSystem.status(of: path))?.kind == .regular else { return false }
        var bytes: [UInt8] = []
        do throws(FileError) {
            let file = try File(path, for: .readWithoutWaiting)
            while bytes.count < maxBytes,
                try file.read(appendingTo: &bytes, atMost: maxBytes - bytes.count) > 0
            {}
        } catch {
            return false
        }
        return hasSources(bytes)
    }

    static func hasSources(_ bytes: [UInt8]) -> Bool {
        guard !bytes.contains(0) else { return false }
        return bytes.split(separator: .ascii("\n")).contains { line in
            let key = line.prefix { $0 != .ascii(":") }
            return key.count < line.count
                && ["sources", "\"sources\"", "'sources'"].contains { key.elementsEqual($0.utf8) }
        }
    }
}
