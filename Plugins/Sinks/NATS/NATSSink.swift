// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineNATS
internal import TaplinePlugin

/// Publishes records and waits until the stream has stored them.
///
/// A batch that fails in part is written again as a whole. What was stored is remembered and
/// skipped; what may have been stored has the same message id and is not stored twice.
final class NATSSink: Sink {
    /// The longest usual time between a write that fails and the next one, in microseconds: the
    /// default of `max_interval`, which the sink does not see, and a second for the wait itself.
    private static let retryTime: Int64 = 6_000_000

    private let factory: NATSSinkFactory
    private let context: SinkContext
    /// `nil` until a server has been reached.
    private var session: Session?
    private var writer = NDJSONWriter()
    private var subject: [UInt8] = []
    private var id: [UInt8] = []
    /// The records of batches that failed, and that are stored nevertheless.
    private var stored: Set<ExchangeID> = []

    init(_ factory: NATSSinkFactory, _ context: SinkContext) throws {
        self.factory = factory
        self.context = context
        do throws(NATSError) {
            session = try connect()
        } catch {
            guard error.isPassing else { throw error }
            context.log.warning("connects again with the first records: \(error)")
        }
    }

    /// A connection, and what publishes over it.
    private struct Session {
        let connection: NATSConnection
        let publisher: NATSPublisher
    }

    /// Connects, and checks the stream.
    private func connect() throws(NATSError) -> Session {
        let connection = try NATSConnection(factory.settings, id: context.id, log: context.log)
        let publisher = try NATSPublisher(
            connection,
            stream: factory.settings.stream,
            maxPending: factory.maxPending
        )
        try Self.checkStream(factory, connection, context.log)
        context.log.info("connected to \(connection.url)")
        return Session(connection: connection, publisher: publisher)
    }

    /// Checks that the stream exists and stores all subjects of the template.
    private static func checkStream(
        _ factory: NATSSinkFactory,
        _ connection: NATSConnection,
        _ log: Log
    ) throws(NATSError) {
        let name = factory.settings.stream
        let pattern = factory.subject.pattern
        guard let stream = try connection.stream(name) else {
            guard let settings = factory.created else {
                throw NATSError(
                    .notFound,
                    "there is no stream '\(name)'; create it, or set 'create'"
                )
            }
            try connection.addStream(name, subject: pattern, settings)
            log.info("created the stream '\(name)' for '\(pattern)'")
            return
        }
        let wanted = SubjectPattern(pattern)
        guard stream.subjects.contains(where: { SubjectPattern($0).covers(wanted) }) else {
            throw NATSError(
                .other,
                "the stream '\(name)' does not store '\(pattern)'; it stores "
                    + stream.subjects.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
            )
        }
        checkWindow(stream.duplicateWindow, factory, log)
    }

    /// Warns if the stream may have forgotten a message when it is published again.
    private static func checkWindow(_ window: Int64, _ factory: NATSSinkFactory, _ log: Log) {
        let unanswered = factory.settings.timeout.multipliedClamped(by: 2000)
        let needed = unanswered.addingClamped(retryTime)
        guard window < needed else { return }
        log.warning(
            "the stream '\(factory.settings.stream)' recognises a message for \(window / 1000) ms; "
                + "one whose answer is lost may be stored twice, unless its duplicate window is at "
                + "least \(needed / 1000) ms"
        )
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        let publisher = try connected().publisher
        var result = BatchResult()
        for record in batch where !stored.contains(record.exchange.id) {
            do throws(NATSError) {
                try publish(record, by: publisher, &writer)
            } catch {
                result.failed(record.exchange.id, error)
                if error.kind != .tooLarge { break }
            }
        }
        let outcome = publisher.wait()
        result.add(outcome)
        guard let error = result.error(of: batch.count) else {
            if !stored.isEmpty { for record in batch { stored.remove(record.exchange.id) } }
            return WriteResult(duplicates: min(outcome.duplicates, batch.count))
        }
        if outcome.unanswered == 0 { note(batch, except: result) }
        throw error
    }

    func close() throws { session?.connection.close() }

    private func publish(
        _ record: Record,
        by publisher: NATSPublisher,
        _ writer: inout NDJSONWriter
    ) throws(NATSError) {
        subject.removeAll(keepingCapacity: true)
        factory.subject.append(for: record.exchange, to: &subject)
        subject.append(0)
        id.removeAll(keepingCapacity: true)
        record.exchange.id.append(to: &id)
        id.append(0)
        writer.removeAll()
        writer.write(record)
        // Without the line feed.
        let line = 0..<writer.count - 1
        try publisher.publish(subject: subject, id: id, writer.bytes.extracting(line))
        // Frees the memory of a single huge record.
        if writer.count > 4 << 20 { writer = NDJSONWriter() }
    }

    /// Returns the session; makes one if there is none yet, or if the library has given up.
    private func connected() throws(SinkError) -> Session {
        if let session, !session.connection.isClosed {
            // The messages would wait in a buffer until they time out.
            guard session.connection.isConnected else {
                throw SinkError(.passing, "there is no connection to a server")
            }
            return session
        }
        do throws(NATSError) {
            let session = try connect()
            self.session = session
            return session
        } catch {
            throw SinkError(.passing, "\(error)")
        }
    }

    /// Remembers what is stored of a batch that has failed.
    private func note(_ batch: [Record], except result: BatchResult) {
        guard let end = batch.firstIndex(where: { result.unsent == $0.exchange.id }) else {
            return note(batch[...], except: result)
        }
        note(batch[..<end], except: result)
    }

    private func note(_ batch: ArraySlice<Record>, except result: BatchResult) {
        // Ids of records that the pipeline has given up stay; this bounds them.
        if stored.count > 4 * factory.maxPending { stored.removeAll() }
        for record in batch where !result.isFailed(record.exchange.id) {
            stored.insert(record.exchange.id)
        }
    }
}

/// What became of the records of a batch.
private struct BatchResult {
    private var failures: [String: NATSError] = [:]
    private var unanswered = 0
    /// The first record that was not sent, because no later one can be.
    private(set) var unsent: ExchangeID?

    /// A record was not sent.
    mutating func failed(_ id: ExchangeID, _ error: NATSError) {
        failures[id.description] = error
        if error.kind != .tooLarge { unsent = id }
    }

    mutating func add(_ outcome: NATSPublisher.Outcome) {
        failures.merge(outcome.failures) { first, _ in first }
        unanswered = outcome.unanswered
    }

    func isFailed(_ id: ExchangeID) -> Bool { failures[id.description] != nil }

    /// The error of the batch; `nil` if all records are stored.
    ///
    /// A temporary error comes first: the batch is written again, and then only the records that are
    /// refused for good fail.
    func error(of count: Int) -> SinkError? {
        if unanswered > 0 {
            return SinkError(.passing, "\(unanswered) of \(count) messages got no answer")
        }
        if let passing = failures.values.first(where: { $0.kind != .tooLarge }) {
            return SinkError(.passing, passing.description)
        }
        return failures.values.first.map { SinkError(.refused, $0.description) }
    }
}
