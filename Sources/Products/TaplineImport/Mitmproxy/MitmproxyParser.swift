// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Reads files of flows from mitmproxy 4 and later (flow formats 4 to 21, and later ones as far as
/// they are the same).
///
/// **Shape**: a file is a sequence of tagged netstrings, one for each flow. Flows that are not HTTP
/// are counted.
final class MitmproxyParser: ImportParser {
    private let options: ImportOptions
    private var buffer: [UInt8] = []
    /// How many bytes the buffer needs for the next step.
    private var needed = 1
    /// How many bytes of a flow that is too large are still to come.
    private var toSkip = 0
    /// The position of the buffer in the file.
    private var byte = 0

    init(_ options: ImportOptions) { self.options = options }

    func append(_ chunk: Span<UInt8>, to items: inout ImportedItems) throws(RecordError) {
        let skipped = min(toSkip, chunk.count)
        toSkip -= skipped
        byte += skipped
        buffer.append(copying: chunk.extracting(skipped..<chunk.count))
        guard buffer.count >= needed else { return }
        var start = 0
        while try takeFlow(at: &start, to: &items) {}
        buffer.removeFirst(start)
        byte += start
        needed -= min(start, needed)
    }

    func finish(to items: inout ImportedItems) -> Bool {
        guard toSkip > 0 || !buffer.isEmpty else { return false }
        let error = RecordError(
            code: .cutOff,
            message: "the file ends inside a flow",
            byte: byte
        )
        items.add(error, "flows (cut off)")
        return false
    }

    /// Reads the flow at a position of the buffer, and moves the position; returns whether there
    /// may be another one.
    private func takeFlow(
        at start: inout Int,
        to items: inout ImportedItems
    ) throws(RecordError) -> Bool {
        let rest = buffer.count - start
        guard rest > 0 else {
            needed = start + 1
            return false
        }
        let copy = Array(buffer[start..<min(buffer.count, start + 12)])
        let head = copy.span
        guard let colon = head.firstIndex(of: .ascii(":")) else {
            guard rest < 12, head.isDigits else { throw malformed(at: start) }
            needed = buffer.count + 1
            return false
        }
        guard let length = head.extracting(0..<colon).decimal, length <= 1 << 40 else {
            throw malformed(at: start)
        }
        let size = colon + 1 + length + 1
        if size > options.maxRecordBytes {
            items.add(
                .tooLarge("the flow", options.maxRecordBytes, at: byte + start),
                "flows (too large)"
            )
            let present = min(size, rest)
            toSkip = size - present
            start += present
            return toSkip == 0
        }
        guard rest >= size else {
            needed = start + size
            return false
        }
        take(start..<start + size, to: &items)
        start += size
        return true
    }

    private func malformed(at start: Int) -> RecordError {
        .shape("malformed length of a flow; expected digits and ':'", at: byte + start)
    }

    private func take(_ range: Range<Int>, to items: inout ImportedItems) {
        do throws(RecordError) {
            let bytes = Array(buffer[range])
            let value = try TNetValue(bytes, at: 0, limit: bytes.count)
            let flow = try MitmproxyFlow(value, bytes)
            switch flow.kind {
            case "http":
                let exchange = try flow.exchange(options.fallbackStart, &items)
                items.add(exchange, from: flow.id.utf8.span)
            case "tcp": items.skip("flows (TCP)")
            case "udp": items.skip("flows (UDP)")
            case "dns": items.skip("flows (DNS)")
            case "websocket": items.skip("flows (WebSocket messages apart from their handshake)")
            default: items.skip("flows (unknown type)")
            }
        } catch {
            var located = error
            located.byte += byte + range.lowerBound
            items.add(located, "flows (malformed)")
        }
    }
}

extension Span<UInt8> {
    /// Whether there are only digits.
    fileprivate var isDigits: Bool {
        for index in indices where !self[index].isDigit { return false }
        return true
    }
}
