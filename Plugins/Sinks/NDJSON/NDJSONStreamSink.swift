// SPDX-License-Identifier: MIT

import TaplineFiles
import TaplineFormats
import TaplinePlugin

/// A path that does not name an ordinary file: bytes that are written to it cannot be cut back, moved
/// or read again, so nothing is rotated.
enum StreamTarget: Sendable, Equatable {
    /// `/dev/stdout`, whatever the process has there.
    case standardOutput
    /// `/dev/stderr`.
    case standardError
    /// A pipe with a name (fifo(7)).
    case fifo(String)
    /// A terminal, `/dev/null` and the like.
    case device(String)

    /// What a path names; `nil` for a file, or if nothing is there yet.
    init?(_ path: String) {
        switch path {
        case "/dev/stdout": self = .standardOutput
        case "/dev/stderr": self = .standardError
        default:
            let status = (try? FileSystem.status(of: path)) ?? nil
            switch status?.kind {
            case .pipe?: self = .fifo(path)
            case .device?: self = .device(path)
            default: return nil
            }
        }
    }

    /// Whether an error only says that a FIFO has no reader yet; another file that cannot be opened
    /// will not be there later either.
    func isAwaited(after error: FileError) -> Bool {
        guard case .fifo = self else { return false }
        return error.hasNoReader
    }

    /// Opens it; a FIFO that nobody reads is an error.
    func open() throws(FileError) -> File {
        switch self {
        case .standardOutput: File.standardOutput
        case .standardError: File.standardError
        case .fifo(let path), .device(let path): try File(path, for: .writeWithoutWaiting)
        }
    }
}

/// Writes records to a stream, one JSON object a line.
///
/// A FIFO that nobody reads is a failure that may pass: the batch is tried again, as `retry` says, and
/// the next reader gets whole lines. Without a reader of standard output the sink ends.
final class NDJSONStreamSink: Sink {
    /// An open stream.
    private final class Stream {
        let file: File

        init(_ file: consuming File) { self.file = file }
    }

    private static let chunk = 1 << 20

    private let target: StreamTarget
    private var stream: Stream?
    private var writer = NDJSONWriter()

    /// Opens the stream; a FIFO may get its first reader later.
    init(_ target: StreamTarget, _ context: SinkContext) throws {
        self.target = target
        do throws(FileError) {
            stream = Stream(try target.open())
        } catch {
            guard target.isAwaited(after: error) else { throw error }
            context.log.info("'\(error.path)' has no reader yet")
        }
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        do throws(FileError) {
            try append(batch, to: try current(), &writer)
        } catch {
            throw failure(error)
        }
        return .written
    }

    private func append(
        _ batch: [Record],
        to stream: Stream,
        _ writer: inout NDJSONWriter
    ) throws(FileError) {
        writer.removeAll()
        for record in batch {
            writer.write(record)
            guard writer.count >= Self.chunk else { continue }
            try stream.file.write(writer.bytes)
            writer.removeAll()
        }
        try stream.file.write(writer.bytes)
    }

    func reopen() throws {
        if case .fifo = target { stream = nil }
    }

    private func current() throws(FileError) -> Stream {
        if let stream { return stream }
        let opened = Stream(try target.open())
        stream = opened
        return opened
    }

    private func failure(_ error: FileError) -> SinkError {
        if target.isAwaited(after: error) {
            return SinkError(.passing, "nobody reads '\(error.path)'")
        }
        guard error.isClosed else { return SinkError(.passing, "\(error)") }
        guard case .fifo(let path) = target else { return SinkError(.closed, "\(error)") }
        stream = nil
        return SinkError(.passing, "nobody reads '\(path)' any more")
    }
}
