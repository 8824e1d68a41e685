// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import LimitBodyStage

@Suite struct LimitBodyPluginTests {
    private func sizes(_ yaml: String) throws -> [Int] {
        var diagnostics = Diagnostics()
        let node = ConfigReader().read(Array(yaml.utf8), name: "test.yaml", into: &diagnostics)
        let options = StagePlugin.limitBody.description.options.decode(
            try #require(node),
            owner: "limit_body",
            into: &diagnostics,
            environment: Environment()
        )
        var context = BuildContext(id: "limit_body")
        let factory = StagePlugin.limitBody.build(try #require(options), &context)
        let stage = try #require(
            try factory?.makeStage(StageContext(id: "limit_body")) as? any RecordStage
        )
        #expect(factory?.hooks == .record)
        #expect(factory?.cutsBodies == true)
        let bytes = [UInt8](repeating: 0x61, count: 100_000)
        var exchange = Exchange(
            id: ExchangeID(high: 1, low: 2),
            request: Request(fields: ["Content-Type": "image/png"], body: Body(bytes)),
            response: Response(fields: ["Content-Type": "text/html"], body: Body(bytes))
        )
        exchange.messages = [StreamMessage(direction: .up, bytes: bytes)]
        var hooks = ExchangeContext()
        _ = try stage.record(&exchange, &hooks)
        return [
            exchange.request.body.bytes.count, exchange.response?.body.bytes.count ?? -1,
            exchange.messages[0].bytes.count,
        ]
    }

    @Test(arguments: [
        ("{}", [65_536, 65_536, 65_536]), ("max_bytes: 10B", [10, 10, 10]),
        ("{max_bytes: 10B, request: {max_bytes: 3B}}", [3, 10, 10]),
        ("{max_bytes: 10B, response: {max_bytes: 3B}, messages: {max_bytes: 1B}}", [10, 3, 1]),
        ("{max_bytes: 10B, skip: [image/*]}", [0, 10, 10]),
        ("{max_bytes: 10B, skip: image/*, request: {skip: []}}", [10, 10, 10]),
        ("{max_bytes: 10B, response: {skip: [text/*]}}", [10, 0, 10]),
    ])
    func eachDirectionHasItsOwnLimit(yaml: String, expected: [Int]) throws {
        #expect(try sizes(yaml) == expected)
    }

    @Test(arguments: [
        "max_bytes: 10", "max_byte: 10B", "request: {max_bytes: x}", "messages: {skip: []}",
    ])
    func invalidOptionsAreRejected(yaml: String) {
        var diagnostics = Diagnostics()
        let node = ConfigReader().read(Array(yaml.utf8), name: "test.yaml", into: &diagnostics)
        let options = node.flatMap {
            StagePlugin.limitBody.description.options.decode(
                $0,
                owner: "limit_body",
                into: &diagnostics,
                environment: Environment()
            )
        }
        #expect(options == nil)
        #expect(diagnostics.hasErrors)
    }
}
