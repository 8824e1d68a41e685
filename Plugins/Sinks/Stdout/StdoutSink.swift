// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSystem

/// Writes exchanges to standard output, with as few calls per batch as possible.
///
/// Output to a pipe cannot be undone. The unwritten part of a failed batch is kept, and the retry
/// continues there. If another batch comes instead, the partial line is completed first. So lines
/// are always complete, and none is written twice.
final class StdoutSink: Sink {
    private let output: File
    private let isTerminal: Bool
    private var renderer: Renderer
    /// The pending batch, identified by its first record and its size, and the next record to
    /// render.
    private var unfinished: (first: Record, count: Int, next: Int)?
    /// How many bytes of the renderer's text have been written.
    private var position = 0
    /// The rest of a partial line of an abandoned batch.
    private var rest: [UInt8] = []

    /// How many bytes are buffered before they are written.
    private static let chunk = 256 * 1024

    init(to output: consuming File, _ settings: StdoutFactory, clock: LocalClock) {
        isTerminal = output.isTerminal
        renderer = Renderer(settings, isTerminal: isTerminal, clock: clock)
        self.output = output
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        guard let first = batch.first else { return .written }
        var next = 0
        if let unfinished {
            if unfinished.first === first, unfinished.count == batch.count {
                next = unfinished.next
            } else {
                abandon()
            }
        }
        renderer.width = isTerminal ? output.terminalWidth : nil
        repeat {
            while next < batch.count, renderer.count < Self.chunk {
                renderer.render(batch[next])
                next += 1
            }
            unfinished = (first, batch.count, next)
            try send()
        } while next < batch.count
        unfinished = nil
        return .written
    }

    /// Discards unwritten text, except for the rest of a partial line.
    private func abandon() {
        rest += renderer.restOfLine(after: position)
        renderer.removeAll()
        position = 0
        unfinished = nil
    }

    private func send() throws(SinkError) {
        do {
            if !rest.isEmpty {
                var written = 0
                defer { rest.removeFirst(written) }
                try output.write(rest.span, from: &written)
            }
            try renderer.write(to: output, from: &position)
        } catch {
            throw SinkError(error.isClosed ? .closed : .passing, error.description)
        }
        renderer.removeAll()
        position = 0
    }
}
