// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineDelivery

@Suite("A batch in several requests")
struct BatchDeliveryTests {
    private struct Failure: Error {}

    /// Records of one id, whose number is the status of the response.
    private static func records(_ count: Int) -> [Record] {
        var chain = RecordChain()
        return (0..<count).compactMap { number in
            let response = Response(status: number)
            let exchange = Exchange(id: ExchangeID(high: 1, low: 1), response: response)
            if case .sealed(let record) = chain.seal(exchange) { return record }
            return nil
        }
    }

    /// Ten bytes, the last of which is the number of the record.
    private static func encode(_ record: Record, _ content: inout [UInt8]) {
        let number = UInt8(truncatingIfNeeded: record.exchange.response?.status ?? 0)
        content += [UInt8](repeating: 0, count: 9) + [number]
    }

    private static func numbers(_ content: [UInt8]) -> [Int] {
        stride(from: 9, to: content.count, by: 10).map { Int(content[$0]) }
    }

    @Test("is divided at the limit, in order")
    func divided() throws {
        var delivery = BatchDelivery(maxBytes: 30)
        var sent: [[Int]] = []
        try delivery.deliver(Self.records(7), encode: Self.encode) { content, count in
            #expect(content.count == count * 10)
            sent.append(Self.numbers(content))
        }
        #expect(sent == [[0, 1, 2], [3, 4, 5], [6]])
        var counted = BatchDelivery(maxBytes: 30, maxRecords: 2)
        sent = []
        try counted.deliver(Self.records(5), encode: Self.encode) { content, _ in
            sent.append(Self.numbers(content))
        }
        #expect(sent == [[0, 1], [2, 3], [4]])
        try delivery.deliver([], encode: Self.encode) { _, _ in Issue.record("nothing to send") }
    }

    @Test("leaves out what was delivered before it failed, also in parts")
    func resumed() throws {
        var delivery = BatchDelivery(maxBytes: 20)
        let records = Self.records(7)
        var sent: [Int] = []
        #expect(throws: Failure.self) {
            try delivery.deliver(records, encode: Self.encode) { content, _ in
                guard sent.count < 4 else { throw Failure() }
                sent += Self.numbers(content)
            }
        }
        #expect(sent == [0, 1, 2, 3])
        for part in [0..<3, 3..<7] {
            try delivery.deliver(Array(records[part]), encode: Self.encode) { content, _ in
                sent += Self.numbers(content)
            }
        }
        #expect(sent == Array(0..<7))
        // What is written completely is forgotten: the same records are another batch.
        delivery.wrote(records)
        try delivery.deliver(Array(records[..<2]), encode: Self.encode) { content, _ in
            sent += Self.numbers(content)
        }
        #expect(sent == Array(0..<7) + [0, 1])
    }

    @Test("with a record that is too large delivers those before it, and refuses")
    func tooLarge() throws {
        var delivery = BatchDelivery(maxBytes: 20)
        let records = Self.records(3)
        var sent: [Int] = []
        let encode: (Record, inout [UInt8]) -> Void = { record, content in
            Self.encode(record, &content)
            if record === records[1] { content += [UInt8](repeating: 0, count: 11) }
        }
        let write: ([Record]) throws -> Void = { part in
            try delivery.deliver(part, encode: encode) { content, _ in
                sent += Self.numbers(content)
            }
        }
        let error = #expect(throws: SinkError.self) { try write(records) }
        #expect(error?.kind == .refused)
        try write([records[0]])
        #expect(throws: SinkError.self) { try write([records[1]]) }
        try write([records[2]])
        #expect(sent == [0, 2])
    }
}
