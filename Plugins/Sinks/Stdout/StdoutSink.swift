// SPDX-License-Identifier: MIT

import TaplineFiles
import TaplineModel
import TaplinePlugin

/// Writes exchanges to standard output, a batch in as few calls as possible.
///
/// A pipe cannot be cut back. What a failed batch has left unwritten is kept, so that the next try
/// goes on where this one stopped; when another batch comes instead, the line that was begun is
/// finished first. So lines are always whole and none is written twice.
final class StdoutSink: Sink {
    private let output: File
    private let isTerminal: Bool
    private var renderer: Renderer
    /// The batch that is not written yet, by its first record; the record to render next.
    private var unfinished: (first: Record, count: Int, next: Int)?
    /// How much of the renderer's text is written.
    private var position = 0
    /// The rest of a line that an abandoned batch began.
    private var rest: [UInt8] = []

    /// How much text gathers before it is written.
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

    /// Gives up what was not written, but for the rest of a line that was begun.
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
