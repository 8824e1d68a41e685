// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import TaplineStore
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import SQLiteSink
@testable import TaplineInspector

/// Stores for tests.
enum Stored {
    /// The exchanges that most tests show: /items/0 to /items/39, some of them odd.
    static var exchanges: [Exchange] {
        var exchanges = Exchange.examples(40)
        for index in exchanges.indices where index % 10 == 7 {
            exchanges[index].response?.status = 500 + index / 10
        }
        exchanges[3].request.method = "POST"
        exchanges[3].request.body = Body(Array("name=x".utf8))
        exchanges[3].tags = ["team": "checkout"]
        exchanges[5].request.authority = "api.test:8443"
        exchanges[5].request.scheme = "https"
        exchanges[5].response?.body = Body(Array("needle in a body".utf8))
        exchanges[9].state = .failed
        exchanges[9].response = nil
        exchanges[9].error = ExchangeError(code: "reset", message: "connection reset by peer")
        exchanges[11].messages = (0..<5).map { number in
            StreamMessage(direction: number % 2 == 0 ? .up : .down, type: "text", bytes: [0x61])
        }
        for index in exchanges.indices {
            exchanges[index].timing.total = Microseconds(Int64((index * 37) % 100) * 1000)
        }
        return exchanges
    }

    static func add(_ exchanges: [Exchange], to path: String) throws {
        let context = SinkContext(id: "sqlite", now: { Timestamp(microseconds: 0) })
        let sink = try SQLiteSink(settings: SQLiteSinkSettings(path: path), context: context)
        _ = try sink.write(exchanges.map(seal))
        try sink.close()
    }

    /// Publishes stores as the poller does.
    @discardableResult
    static func publish(
        _ names: [String],
        in current: CurrentStores = CurrentStores()
    ) throws -> CurrentStores {
        let files = try names.map { try FileSystem.status(of: $0) }
        let head = try #require(try StoreWatch(try StoreSet(names)).look())
        current.publish(names, files, head)
        return current
    }

    static func ndjson(_ exchanges: [Exchange]) throws -> [UInt8] {
        var writer = NDJSONWriter()
        for exchange in exchanges { writer.write(try seal(exchange)) }
        return Array(copying: writer.bytes)
    }

    private static func seal(_ exchange: Exchange) throws -> Record {
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else {
            throw SinkError(.refused, "not sealed")
        }
        return record
    }
}
