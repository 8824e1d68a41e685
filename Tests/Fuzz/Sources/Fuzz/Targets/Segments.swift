// SPDX-License-Identifier: MIT

import TaplineSegments
import TaplineSystem

/// The folder of a queue on disk whose last segment has any content.
///
/// Frames that a log wrote come back, those before and after damage are found, and the log goes on.
func fuzzSegments(_ input: inout FuzzInput) {
    let steps = (input.below(256), input.below(256))
    var bytes: [UInt8] = []
    SegmentFormat.appendHeader(to: &bytes)
    // Frames and any bytes in turn, so that damage is between valid frames.
    var written: [[UInt8]] = []
    while !input.isEmpty {
        let part = input.take(input.below(64))
        if input.below(3) > 0, !part.isEmpty {
            SegmentFormat.appendFrame(part.span, to: &bytes)
            written.append(part)
        } else {
            bytes += part
        }
    }
    let whole = unframed(bytes, bytes.count + 1)
    require(whole == unframed(bytes, steps.0 % 40 + 1), "chunks made a difference")
    require(isSubsequence(whole, of: written) || whole.count > written.count, "other records")
    checkLog(bytes, step: steps.1 % 20 + 1)
}

/// The records that a program finds which only looks at a queue.
private func unframed(_ bytes: [UInt8], _ chunk: Int) -> [[UInt8]] {
    var unframer = SegmentUnframer()
    var found: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
        let part = bytes[start..<min(start + chunk, bytes.count)]
        unframer.read(part.span) { (record: Span<UInt8>) throws(Never) in
            found.append(copy(record))
        }
    }
    return found
}

/// Opens a log with the segment, reads it, and appends a record.
private func checkLog(_ bytes: [UInt8], step: Int) {
    do {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "fuzz")
        defer { try? FileSystem.removeFolder(folder) }
        let path = "\(folder)/queue"
        try FileSystem.makeFolder(path)
        let segment = try File("\(path)/00000000000000000000.segment", for: .replace)
        try segment.write(bytes.span)
        let log = SegmentLog(path, SegmentLog.Limits(syncs: false))
        let opened = try log.open()
        var reader = SegmentReader(log)
        var position = opened.next
        var (records, lost) = (0, 0)
        while position != log.end {
            let former = position
            let result = reader.read(from: position, upTo: step, end: log.end) { _ in records += 1 }
            position = result.end
            lost += result.lost
            require(position != former, "a read gets nowhere")
        }
        require(records + lost == opened.count, "found \(records) and \(lost), not \(opened.count)")
        var frame: [UInt8] = []
        SegmentFormat.appendFrame([UInt8]("next".utf8).span, to: &frame)
        _ = try log.append(frame.span, records: 1)
        var last: [UInt8] = []
        let result = reader.read(from: position, upTo: 1, end: log.end) { last = copy($0) }
        require(last == [UInt8]("next".utf8) && result.lost == 0, "the next record is not read")
        try log.commit(result.end)
        log.close()
    } catch {
        require(false, "\(error)")
    }
}

private func copy(_ bytes: Span<UInt8>) -> [UInt8] {
    var copy: [UInt8] = []
    for index in bytes.indices { copy.append(bytes[index]) }
    return copy
}

private func isSubsequence(_ part: [[UInt8]], of whole: [[UInt8]]) -> Bool {
    var rest = whole[...]
    for one in part {
        guard let place = rest.firstIndex(of: one) else { return false }
        rest = rest[(place + 1)...]
    }
    return true
}
