// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplinePlugin
import TaplineSystem

/// A path that does not name a regular file.
///
/// Bytes written to it cannot be truncated, moved or read again, so it is not rotated.
enum StreamTarget: Sendable, Equatable {
    /// `/dev/stdout`, whatever standard output is connected to.
    case standardOutput
    /// `/dev/stderr`.
    case standardError
    /// A named pipe (fifo(7)).
    case fifo(String)
    /// A terminal, `/dev/null` or another device.
    case device(String)

    /// Returns `nil` for a regular file, or if the path does not exist yet.
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

    /// Whether an error only means that a FIFO has no reader yet.
    ///
    /// Other files that cannot be opened are not retried.
    func isAwaited(after error: FileError) -> Bool {
        guard case .fifo = self else { return false }
        return error.hasNoReader
    }

    /// Opens the target; a FIFO without a reader is an error.
    func open() throws(FileError) -> File {
        switch self {
        case .standardOutput: File.standardOutput
        case .standardError: File.standardError
        case .fifo(let path), .device(let path): try File(path, for: .writeWithoutWaiting)
        }
    }
}

/// Writes records to a stream, one JSON object per line.
///
/// A FIFO without a reader is a temporary failure: the batch is retried as `retry` configures, and
/// the next reader gets complete lines. When standard output has no reader, the sink ends.
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

    /// Opens the stream.
    ///
    /// A FIFO may get its first reader later.
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
            return SinkError(.passing, "'\(error.path)' has no reader")
        }
        guard error.isClosed else { return SinkError(.passing, "\(error)") }
        guard case .fifo(let path) = target else { return SinkError(.closed, "\(error)") }
        stream = nil
        return SinkError(.passing, "'\(path)' no longer has a reader")
    }
}
