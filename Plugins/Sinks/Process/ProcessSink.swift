// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProcessPlugin

/// A program that stores records.
///
/// A batch is stored when the program says so. If it fails or ends before, the runtime writes the
/// whole batch again, to the next child.
final class ProcessSink: Sink {
    /// How often a call that stores nothing is made, if programs end or hang without an answer.
    private static let maxAttempts = 3

    private let connection: ProcessConnection
    private var json = JSONWriter(capacity: 65_536)

    init(_ settings: ProcessSettings, _ context: SinkContext) throws {
        connection = try ProcessConnection(.sink, id: context.id, settings, log: context.log)
        try connection.open()
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        let number = connection.number()
        json.removeAll()
        for record in batch {
            json.beginObject()
            json.key("n")
            json.integer(number)
            json.key("record")
            json.record(record)
            json.endObject()
            json.separator(0x0A)
        }
        json.object { json in
            json.key("n")
            json.integer(number)
            json.member("write", batch.count)
        }
        json.separator(0x0A)
        do throws(ProcessPluginError) {
            return WriteResult(duplicates: min(try ask(number), batch.count))
        } catch {
            throw SinkError(error)
        }
    }

    func flush() throws {
        if connection.hello.capabilities.contains("flush") { try command("flush") }
    }

    func reopen() throws {
        if connection.hello.capabilities.contains("reopen") { try command("reopen") }
    }

    func close() throws { connection.close() }

    /// Makes a call without records, again to the next program if one ends or hangs: each has
    /// confirmed its batches before.
    private func command(_ word: StaticString) throws {
        for attempt in 1...Self.maxAttempts {
            do throws(ProcessPluginError) {
                _ = try askOnce(word)
                return
            } catch {
                guard error.isUnanswered, attempt < Self.maxAttempts else {
                    throw SinkError(error)
                }
            }
        }
    }

    private func askOnce(_ word: StaticString) throws(ProcessPluginError) -> Int {
        let number = connection.number()
        json.removeAll()
        json.object { json in
            json.key("n")
            json.integer(number)
            json.member(word, true)
        }
        json.separator(0x0A)
        return try ask(number)
    }

    /// Sends the lines of a call; returns the number of duplicates.
    private func ask(_ number: UInt64) throws(ProcessPluginError) -> Int {
        let lines = Array(copying: json.bytes)
        guard case .done(let duplicates) = try connection.ask(number, lines) else {
            throw ProcessPluginError("wrong answer; expected ok or error")
        }
        return duplicates
    }
}

extension SinkError {
    fileprivate init(_ error: ProcessPluginError) {
        self.init(error.isFinal ? .refused : .passing, error.description)
    }
}
