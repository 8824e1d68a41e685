// SPDX-License-Identifier: MIT

package import TaplineFormats
package import TaplineModel

/// Parses one file of a format.
///
/// **Shape**: call `append` for any number of chunks, then `finish` until there is no more. What can
/// be read is added to the items in the order of the file; an exchange that cannot be read is an
/// error in its place.
/// **Throws**: `RecordError` if the rest of the file cannot be read.
/// **Isolation**: one thread at a time.
protocol ImportParser: AnyObject {
    /// Reads the next bytes, after decompression.
    func append(_ chunk: Span<UInt8>, to items: inout ImportedItems) throws(RecordError)

    /// Ends the file, possibly a part at a time; returns whether there is more, so that the items
    /// are passed on and this is called again.
    func finish(to items: inout ImportedItems) throws(RecordError) -> Bool
}

/// What was read of a file and not yet passed on, and what could not be read so far.
package struct ImportedItems {
    /// An exchange, or the error in its place.
    package typealias Element = Result<Exchange, RecordError>

    /// The exchanges and errors, in the order of the file.
    package private(set) var elements: [Element] = []
    /// What could not be read, by kind: exchanges, commands, lines.
    package private(set) var unread = LossReport()
    /// What was read, but has no place in an exchange, by kind.
    package private(set) var losses = LossReport()
    private let file: String
    private var position = 0

    /// Creates empty items of a file.
    package init(file: String) { self.file = file }

    /// Removes exchanges and errors that were passed on; the reports stay.
    package mutating func removeElements() { elements.removeAll(keepingCapacity: true) }

    /// Adds an exchange; without an id, it gets one that is the same each time the file is read.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - bytes: What distinguishes it from others that start at the same time.
    mutating func add(_ exchange: Exchange, from bytes: Span<UInt8>) {
        var exchange = exchange
        if exchange.id.isNil {
            exchange.id = RecordID.derived(
                started: exchange.started,
                from: bytes,
                position: position
            )
        }
        if exchange.source.isEmpty { exchange.source = "import" }
        position += 1
        elements.append(.success(exchange))
    }

    /// Adds an error in place of an exchange, and counts it.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - kind: What could not be read.
    mutating func add(_ error: RecordError, _ kind: StaticString) {
        var error = error
        error.file = file
        unread.count(kind)
        position += 1
        elements.append(.failure(error))
    }

    /// Counts something that is not read, and is no error.
    mutating func skip(_ kind: StaticString) { unread.count(kind) }

    /// Counts something that has no place in an exchange.
    mutating func lose(_ kind: StaticString) { losses.count(kind) }

    /// Adds losses that were counted elsewhere.
    mutating func lose(_ report: LossReport) { losses.add(report) }
}

extension Exchange {
    /// An exchange of a request, without an id.
    static func imported(_ request: Request, started: Timestamp) -> Exchange {
        Exchange(id: ExchangeID(high: 0, low: 0), started: started, request: request)
    }

    /// Sets the state of an exchange for which the file has no response.
    mutating func markWithoutResponse() {
        state = .failed
        error = ExchangeError(code: "no_response", message: "the file has no response")
    }
}

extension RecordError {
    /// An error about the shape of something in the file.
    static func shape(_ message: String, at byte: Int) -> RecordError {
        RecordError(code: .wrongShape, message: message, byte: byte)
    }

    /// The error of a file, or a part of it, that is too large.
    static func tooLarge(_ what: String, _ limit: Int, line: Int = 0, at byte: Int) -> RecordError {
        RecordError(
            code: .tooLarge,
            message: "\(what) is too large; expected at most \(limit) bytes",
            line: line,
            byte: byte
        )
    }
}
