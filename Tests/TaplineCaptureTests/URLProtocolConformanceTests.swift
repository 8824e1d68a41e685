// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing
import URLProtocolSource

@testable import TaplineCapture

// Serialized, because parallel runs would take all threads of the pool from other tests.
@Suite("url_protocol meets the requirements for every source", .serialized)
struct URLProtocolConformanceTests {
    /// The port of the running source, for an app that waits for it.
    private final class App: Sendable {
        private let ports = Mutex<AsyncStream<CaptureIntake>?>(nil)

        func attach(to source: any Source) {
            let (stream, opened) = AsyncStream.makeStream(of: CaptureIntake.self)
            ports.withLock { $0 = stream }
            (source as? CaptureSource)?.attach { opened.yield($0) }
        }

        var port: CaptureIntake? {
            get async {
                guard let ports = ports.withLock({ $0 }) else { return nil }
                return await ports.first { _ in true }
            }
        }
    }

    @Test("with any options", arguments: ["shared: true", "shared: false"])
    func conforms(options: String) async {
        let app = App()
        let secrets = PlantedSecrets()
        let traffic = LiveTraffic(prepare: { app.attach(to: $0) }) { _, _ in
            let port = try #require(await app.port)
            for number in 0..<200 {
                let planted = secrets.exchange(number)
                var request = planted.request
                request.target = ByteString("/items/\(number)?\(secrets.words[3].word)")
                let exchange = try #require(port.begin(request))
                _ = exchange.runRequestHooks(body: nil)
                exchange.sent(Array("sent \(secrets.words[5].word)".utf8).span)
                guard let response = planted.response, !number.isMultiple(of: 5) else {
                    exchange.failed(ExchangeError(code: "reset", message: secrets.words[16].word))
                    continue
                }
                exchange.received(response)
                _ = exchange.runResponseHooks(body: nil)
                exchange.received(Array("got \(secrets.words[11].word)".utf8).span)
                exchange.completed()
            }
        }
        let violations = await Conformance.violations(
            of: SourcePlugin.urlProtocol,
            options: "{ \(options) }",
            count: 200,
            traffic: traffic
        )
        #expect(violations == [])
    }
}
