// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplinePlugin

@Suite("The difference of two states of an exchange")
struct ExchangeDifferenceTests {
    private func base() -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: 1),
            request: Request(
                authority: "shop.test",
                fields: ["Host": "shop.test", "X-A": "1", "x-a": "2", "Accept": "*/*"],
                body: Body(Array("abc".utf8))
            ),
            response: Response(fields: ["Vary": "Accept"])
        )
        exchange.tags = ["team": "a", "old": "1"]
        return exchange
    }

    /// The differences after a change, as `kind part name before-after`.
    private func words(
        hidesRemoved: Bool = false,
        _ change: (inout Exchange) -> Void
    ) -> [String] {
        let old = base()
        var new = old
        change(&new)
        var difference = ExchangeDifference(hidesRemovedNames: hidesRemoved)
        difference.compare(old.request, new.request)
        difference.compare(old.response, new.response)
        difference.compare(.tag, old.tags, new.tags)
        difference.compareFacts(old, new)
        return difference.changes.map { change in
            var words = "\(change.kind) \(change.part)"
            if !change.name.isEmpty { words += " \(change.name)" }
            if change.count != 1 { words += " x\(change.count)" }
            if let before = change.before, let after = change.after {
                words += " \(before)-\(after)"
            }
            return words
        }
    }

    @Test("is empty if nothing changed, even if the memory is another one")
    func none() {
        #expect(words { _ in }.isEmpty)
        #expect(words { $0.request.fields = FieldSection($0.request.fields.pairs) }.isEmpty)
        #expect(words { $0.request.body = Body(Array("abc".utf8)) }.isEmpty)
    }

    @Test("names the parts of the request line and the status line")
    func lines() {
        let found = words {
            $0.request.method = "PUT"
            $0.request.target = "/b"
            $0.request.authority = "b.test"
            $0.request.version = "HTTP/2"
            $0.response?.status = 404
            $0.response?.reason = "Gone"
        }
        #expect(
            found == [
                "changed method", "changed url", "changed request.version", "changed status",
                "changed reason",
            ]
        )
    }

    @Test("names fields, without regard to case")
    func fields() {
        let found = words {
            $0.request.fields.set("ACCEPT", to: "text/css")
            $0.request.fields.append(name: "X-New", value: "1")
            $0.request.fields.removeAll("x-a")
            $0.response?.trailers = ["T": "1"]
        }
        #expect(
            found == [
                "set request.header X-New", "changed request.header Accept",
                "removed request.header X-A", "set response.trailer T",
            ]
        )
    }

    @Test("sees duplicates, order and case of fields")
    func duplicates() {
        #expect(words { $0.request.fields.remove(at: 2) } == ["changed request.header X-A"])
        #expect(words { $0.request.fields.sortByName() } == ["changed request.header"])
    }

    @Test("has the sizes of bodies")
    func bodies() {
        #expect(words { $0.request.body.bytes = [1] } == ["changed request.body 3-1"])
        #expect(words { $0.request.body = Body() } == ["removed request.body 3-0"])
        #expect(words { $0.response?.body = Body([1, 2]) } == ["set response.body 0-2"])
        #expect(words { $0.request.body.isTruncated = true } == ["changed request.body 3-3"])
    }

    @Test("names tags, and a response as a whole")
    func tags() {
        let found = words {
            $0.response = nil
            $0.tags["team"] = "b"
            $0.tags["new"] = "1"
            $0.tags["old"] = nil
        }
        #expect(
            found == ["removed response", "set tag new", "changed tag team", "removed tag old"]
        )
    }

    @Test("names the other parts")
    func facts() {
        let found = words {
            $0.state = .failed
            $0.error = ExchangeError(code: "reset")
            $0.messages = [StreamMessage(direction: .up, bytes: [1])]
            $0.timing.total = Microseconds(1)
            var extra = ExchangeExtra()
            extra.notes = [ExchangeNote(text: "a")]
            $0.extra = extra
        }
        #expect(
            found == [
                "changed state", "changed timing", "changed messages", "set error", "changed notes",
            ]
        )
    }

    @Test("counts removed names if they may be secrets")
    func hidden() {
        let found = words(hidesRemoved: true) {
            $0.request.fields.removeAll("x-a")
            $0.request.fields.removeAll("accept")
            $0.request.fields.append(name: "masked", value: "1")
            $0.tags["old"] = nil
        }
        #expect(
            found == [
                "set request.header masked", "removed request.header x2", "removed tag",
            ]
        )
    }

    @Test("counts names beyond a number, and long ones")
    func limits() {
        let found = words {
            for number in 0..<100 { $0.tags["t\(number)"] = "1" }
            $0.tags[String(repeating: "x", count: 300)] = "1"
        }
        #expect(found.count == ExchangeDifference.maxNames + 1)
        #expect(found.last == "set tag x\(101 - ExchangeDifference.maxNames)")
    }
}

extension FieldSection {
    fileprivate var pairs: [(name: String, value: String)] {
        indices.map {
            (
                ByteString(name(at: $0)).description, ByteString(value(at: $0)).description
            )
        }
    }
}
