// SPDX-License-Identifier: MIT

import Dispatch
import TaplineModel
import TaplineNet
import TaplineQuery
import TaplineServe
import TaplineStore
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("Events for pages", .timeLimit(.minutes(2)))
struct EventHubTests {
    /// Runs a server whose only answer is the events of a hub.
    private func withEvents(_ hub: EventHub, _ body: (UInt16) throws -> Void) throws {
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        let group = try EventLoopGroup(threads: 1)
        let ended = DispatchSemaphore(value: 0)
        group.start { loop, _ in
            try HTTPServer.listen(bound, on: loop, .inspector) { _, responder in
                let stream = responder.stream(ServedResponse(200, type: ServerSentEvents.type))
                if !hub.add(stream) { stream.finish() }
            }
        } then: { _ in
            ended.signal()
        }
        let result = Result { try body(bound.address.port) }
        group.stop()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        try result.get()
    }

    @Test("a page whose stream is full gets the last state of a list later, once")
    func full() throws {
        let folder = try TemporaryFolder()
        let names = [folder("traffic.db")]
        try Stored.add(Exchange.examples(30), to: names[0])
        let current = try Stored.publish(names)
        let head = try #require(try StoreWatch(try StoreSet(names)).look())
        let view = ListView("v1", try Filter("path ~ \"7$\""), nil, generation: 1) { _ in }
        let hub = EventHub()
        hub.note(NumberedHead(number: 30, head: head), [])
        try withEvents(hub) { port in
            let client = try SocketClient(port: port, receiveBuffer: 4096)
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            var text = try read(client, until: "event: head")
            // More than the kernel takes for a client that does not read.
            hub.notify("filler", [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20))
            hub.tick()
            let job = try #require(view.extended(to: head))
            hub.noteChange(of: view)
            hub.tick()
            job(OpenStores(current))
            hub.noteChange(of: view)
            hub.tick()
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.setEventHandler { hub.tick() }
            timer.schedule(deadline: .now(), repeating: .milliseconds(10))
            timer.resume()
            defer { timer.cancel() }
            text = try read(client, until: "event: view", "\"complete\":")
            hub.notify("last", Array("{}".utf8))
            text += try read(client, until: "event: last")
            let events = text.components(between: "event: view\ndata: ", and: "\n")
            #expect(
                events == [
                    "{\"view\":\"v1\",\"total\":3,\"progress\":1,\"complete\":true}"
                ]
            )
        }
    }

    /// Receives until all texts have come; returns the last part, without the filler.
    private func read(_ client: SocketClient, until expected: String...) throws -> String {
        var text = ""
        while !expected.allSatisfy({ text.contains($0) }) {
            let part = try client.receive()
            try #require(!part.isEmpty)
            text += String(decoding: part.filter { $0 != UInt8(ascii: "x") }, as: UTF8.self)
        }
        return text
    }
}

extension String {
    /// The texts between each pair of marks.
    fileprivate func components(between start: String, and end: String) -> [String] {
        var found: [String] = []
        var rest = Substring(self)
        while let first = rest.firstRange(of: start) {
            rest = rest[first.upperBound...]
            guard let last = rest.firstRange(of: end) else { break }
            found.append(String(rest[..<last.lowerBound]))
            rest = rest[last.upperBound...]
        }
        return found
    }
}
