// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// The file for records that a sink refuses: a recording of NDJSON, each line with the reason.
///
/// ```
/// {"v":1,…,"dead_letter":{"sink":"sqlite","reason":"…"}}
/// ```
/// **Isolation**: the sink's thread.
final class DeadLetterFile {
    private let path: String
    private let sink: String

    init(_ path: String, sink: String) {
        self.path = path
        self.sink = sink
    }

    /// Appends a record completely or not at all, and waits until it is on disk.
    ///
    /// It begins a line of its own, even if a crash has left a part of one.
    func write(_ record: Record, reason: String) throws(FileError) {
        var json = JSONWriter()
        json.object { json in
            json.member("sink", sink)
            json.member("reason", reason)
        }
        var lines = NDJSONWriter()
        lines.write(record)
        // The object ends with a brace and a line feed.
        let file = try File(path, for: .append)
        let size = try file.status().size
        var bytes: [UInt8] = []
        if size > 0, try !Self.endsWithLineFeed(file, size) { bytes.append(0x0A) }
        bytes.append(copying: lines.bytes.extracting(..<(lines.count - 2)))
        bytes += Array(",\"dead_letter\":".utf8)
        bytes.append(copying: json.bytes)
        bytes += Array("}\n".utf8)
        do throws(FileError) {
            try file.write(bytes.span)
            try file.syncData()
            if size == 0 { try FileSystem.syncFolder(FileSystem.folder(of: path)) }
        } catch {
            try? file.truncate(to: size)
            throw error
        }
    }

    private static func endsWithLineFeed(
        _ file: borrowing File,
        _ size: Int
    ) throws(FileError) -> Bool {
        var last: [UInt8] = [0]
        var space = last.mutableSpan
        let count = try file.read(into: &space, at: size - 1)
        return count == 1 && last[0] == 0x0A
    }
}
