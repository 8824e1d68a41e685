// SPDX-License-Identifier: MIT

package import TaplineSystem

/// The folder of a log: segments named by the number of their first record, and the read position.
///
/// ```
/// 00000000000000000000.segment   position   lock   reserve
/// ```
package struct SegmentFolder: Sendable {
    private static let suffix = ".segment"
    private static let digits = 20

    /// The path of the folder.
    package let path: String

    package init(_ path: String) { self.path = path }

    /// The path of a segment.
    package func segment(_ first: UInt64) -> String {
        let number = "\(first)"
        let zeros = String(repeating: "0", count: max(Self.digits - number.utf8.count, 0))
        return "\(path)/\(zeros)\(number)\(Self.suffix)"
    }

    var position: String { "\(path)/position" }
    var lock: String { "\(path)/lock" }
    var reserve: String { "\(path)/reserve" }

    /// The first record of each segment, in order.
    package func segments() throws(FileError) -> [UInt64] {
        var found: [UInt64] = []
        for name in try FileSystem.names(in: path) {
            if let first = Self.first(of: name) { found.append(first) }
        }
        return found.sorted()
    }

    /// The number of the first record of a segment with this name; `nil` if it is no segment.
    private static func first(of name: String) -> UInt64? {
        guard name.hasSuffix(suffix), name.utf8.count == digits + suffix.utf8.count else {
            return nil
        }
        guard let first = UInt64(name.dropLast(suffix.utf8.count)),
            first <= SegmentPosition.maxRecord
        else { return nil }
        return first
    }

    /// The paths of a folder's segments, in order; `nil` if the folder is no queue.
    package static func segments(of path: String) throws(FileError) -> [String]? {
        let folder = SegmentFolder(
            path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        )
        let found = try folder.segments()
        if found.isEmpty, try FileSystem.status(of: folder.position) == nil { return nil }
        return found.map(folder.segment)
    }

    /// Reads the read position; `nil` if there is none or it is damaged.
    func readPosition() throws(FileError) -> SegmentPosition? {
        guard try FileSystem.status(of: position) != nil else { return nil }
        var bytes: [UInt8] = []
        let file = try File(position, for: .readRegular)
        while bytes.count <= SegmentPositionText.maxBytes,
            try file.read(appendingTo: &bytes, atMost: SegmentPositionText.maxBytes) > 0
        {}
        return SegmentPositionText.position(String(decoding: bytes, as: UTF8.self))
    }

    /// Replaces the read position.
    ///
    /// One that moves on need not be synced: a position that is too old after a power failure only
    /// means that records are written again.
    func writePosition(_ value: SegmentPosition, syncs: Bool = false) throws(FileError) {
        let temporary = "\(position).tmp"
        let text = Array(SegmentPositionText.text(value).utf8)
        do throws(FileError) {
            let file = try File(temporary, for: .replace)
            try file.write(text.span)
            if syncs { try file.syncData() }
            try FileSystem.move(temporary, to: position)
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
    }

    /// Creates the file whose space is given up when the disk is full.
    func makeReserve() throws(FileError) {
        guard try FileSystem.status(of: reserve) == nil else { return }
        let file = try File(reserve, for: .replace)
        do throws(FileError) {
            try file.write([UInt8](repeating: 0, count: Self.reserveBytes).span)
        } catch {
            try? FileSystem.remove(reserve)
            throw error
        }
    }

    /// Gives up the space of that file; returns whether there was one.
    func removeReserve() -> Bool {
        do throws(FileError) {
            guard try FileSystem.status(of: reserve) != nil else { return false }
            try FileSystem.remove(reserve)
            return true
        } catch {
            return false
        }
    }

    static let reserveBytes = 64 << 10
}
