// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineSystem

/// A file that is written and read at the same time.
final class SegmentFile: Sendable {
    let file: File

    init(_ file: consuming File) { self.file = file }
}

/// A segment file that is read a part at a time.
///
/// **Limits**: memory for `readBytes`, or for one record that is longer.
final class SegmentWindow {
    /// The number of bytes that are read at a time.
    static let readBytes = 1 << 20
    /// The most bytes whose checksums are computed in search of a valid frame.
    private static let searchBytes = 256 << 20

    /// What is found at an offset.
    enum Found: Equatable {
        /// A record: its range in `bytes`, and the offset after it.
        case record(Range<Int>, end: Int)
        /// Damage before a valid frame; the offset of that frame.
        case damaged(end: Int)
        /// The end of the file.
        case end
        /// The rest of the file has no frame.
        case torn
    }

    private let file: SegmentFile
    /// The part of the file that is in memory.
    private(set) var bytes: [UInt8] = []
    private var start = 0

    init(_ path: String) throws(FileError) {
        file = SegmentFile(try File(path, for: .readRegular))
    }

    init(_ file: SegmentFile) { self.file = file }

    /// The size of the file.
    func size() throws(FileError) -> Int { try file.file.status().size }

    /// Examines what is at an offset.
    func next(at offset: Int) throws(FileError) -> Found {
        switch try frame(at: offset) {
        case .record(let range): return .record(range, end: start + range.upperBound)
        case .incomplete:
            if try offset >= size() { return .end }
        case .corrupt(let end?):
            let following = start + end
            if case .record = try frame(at: following) { return .damaged(end: following) }
        case .corrupt(nil): break
        }
        guard let following = try frame(after: offset) else { return .torn }
        return .damaged(end: following)
    }

    /// Returns the offset of the first valid frame after a damaged one; `nil` if there is none.
    private func frame(after offset: Int) throws(FileError) -> Int? {
        let size = try size()
        var left = Self.searchBytes
        var position = offset + 1
        while size - position > SegmentFormat.frameHeaderBytes {
            try load(position, min(Self.readBytes, size - position))
            let part = bytes
            guard part.count > SegmentFormat.frameHeaderBytes else { return nil }
            for index in 0...(part.count - SegmentFormat.frameHeaderBytes) {
                let needed = SegmentFormat.frameBytes(in: part.span, at: index)
                guard let needed, needed <= size - position - index else { continue }
                // Random bytes give many lengths that are possible.
                guard left > 0 else { return nil }
                left -= needed
                if case .record = try frame(at: position + index) { return position + index }
            }
            position += part.count - SegmentFormat.frameHeaderBytes + 1
        }
        return nil
    }

    /// Examines the frame at an offset, with ranges in `bytes`.
    private func frame(at offset: Int) throws(FileError) -> SegmentFormat.Frame {
        if offset >= start, offset - start <= bytes.count {
            let found = examine(at: offset - start)
            guard case .incomplete = found, try start + bytes.count < size() else { return found }
        }
        let left = max(try size() - offset, 0)
        try load(offset, min(Self.readBytes, left))
        let found = examine(at: 0)
        guard case .incomplete(let needed) = found, needed > bytes.count, needed <= left else {
            return found
        }
        try load(offset, needed)
        return examine(at: 0)
    }

    private func examine(at position: Int) -> SegmentFormat.Frame {
        let bytes = bytes
        return SegmentFormat.frame(in: bytes.span, at: position)
    }

    private func load(_ offset: Int, _ count: Int) throws(FileError) {
        var buffer = exchange(&bytes, with: [])
        if buffer.count > 4 * Self.readBytes { buffer = [] }
        if buffer.count < count {
            buffer += Array(repeating: 0, count: count - buffer.count)
        }
        var whole = buffer.mutableSpan
        var space = whole._mutatingExtracting(first: count)
        let filled = try file.file.read(into: &space, at: offset)
        buffer.removeLast(buffer.count - filled)
        bytes = buffer
        start = offset
    }
}
