// SPDX-License-Identifier: MIT

package import TaplinePlugin

/// Divides batches into requests of limited size, and remembers what was delivered.
///
/// A batch may need several requests. If one of them fails, the runtime writes the batch again,
/// whole or in parts; the records of requests that succeeded are then left out, so that a retry
/// sends no record twice.
package struct BatchDelivery {
    /// The maximum size of the content of a request in bytes, before it is compressed.
    private let maxBytes: Int
    /// The maximum number of records in a request.
    private let maxRecords: Int
    /// The delivered records of batches that are not written completely.
    ///
    /// Records and not ids, since a batch may contain several records of one id. They are held, so
    /// that no other record gets the same identity.
    private var delivered: [ObjectIdentifier: Record] = [:]
    private var content: [UInt8] = []
    private var pending: [Record] = []

    /// - Parameters:
    ///   - maxBytes: The maximum size of the content of a request.
    ///   - maxRecords: The maximum number of records in a request.
    package init(maxBytes: Int, maxRecords: Int = .max) {
        self.maxBytes = maxBytes
        self.maxRecords = maxRecords
    }

    /// Delivers a batch; `wrote` follows when nothing else of it can fail.
    ///
    /// - Parameters:
    ///   - batch: The records, or a part of a batch that has failed.
    ///   - encode: Appends the form of a record to the content of the next request.
    ///   - send: Sends the content of some records, whose number it gets, too.
    /// - Throws: What `send` throws, and an error that refuses a record whose form is larger than a
    ///   request.
    package mutating func deliver(
        _ batch: [Record],
        encode: (Record, inout [UInt8]) -> Void,
        send: ([UInt8], Int) throws -> Void
    ) throws {
        content.removeAll(keepingCapacity: true)
        pending.removeAll(keepingCapacity: true)
        for record in batch where delivered[ObjectIdentifier(record)] == nil {
            let start = content.count
            encode(record, &content)
            if start > 0, content.count > maxBytes || pending.count >= maxRecords {
                let last = Array(content[start...])
                content.removeLast(last.count)
                try sendPending(send)
                content += last
            }
            guard content.count <= maxBytes else {
                throw SinkError(.refused, "a record is larger than 'max_bytes'")
            }
            pending.append(record)
        }
        if !pending.isEmpty { try sendPending(send) }
    }

    /// Forgets a batch that is written completely.
    package mutating func wrote(_ batch: [Record]) {
        for record in batch { delivered[ObjectIdentifier(record)] = nil }
    }

    private mutating func sendPending(_ send: ([UInt8], Int) throws -> Void) throws {
        try send(content, pending.count)
        for record in pending { delivered[ObjectIdentifier(record)] = record }
        content.removeAll(keepingCapacity: true)
        pending.removeAll(keepingCapacity: true)
    }
}
