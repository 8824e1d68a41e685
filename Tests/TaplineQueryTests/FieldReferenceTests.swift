// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineQuery

@Suite struct FieldReferenceTests {
    private func value(_ text: String, _ exchange: Exchange = full()) throws -> FilterValue? {
        try #require(try FieldReference.list(text).first).value(in: exchange)
    }

    private static func full() -> Exchange {
        var exchange = Samples.full()
        exchange.request.fields.append(name: "Cookie", value: "a=1; b=2")
        exchange.request.fields.append(name: "Content-Type", value: "application/grpc+proto")
        exchange.response?.trailers.append(name: "grpc-status", value: "5")
        exchange.response?.fields.append(name: "Set-Cookie", value: "s=x; Path=/")
        exchange.messages = [StreamMessage(direction: .up, bytes: Array("hi".utf8))]
        var extra = ExchangeExtra()
        extra.notes = [ExchangeNote(mark: "red"), ExchangeNote(text: "why?")]
        exchange.extra = extra
        return exchange
    }

    @Test(arguments: [
        ("method", "POST"), ("host", "api.shop.test"), ("scheme", "https"),
        ("route", "/cart/items"), (#"query["x"]"#, "1"), (#"query["plus"]"#, "a b"),
        (#"query["name"]"#, "v"), ("status_class", "5xx"), ("error", "reset"),
        (#"tag["team"]"#, "checkout"), (#"request.header["x-tag"]"#, "one"),
        (#"request.header["x-empty"]"#, ""), (#"request.cookie["b"]"#, "2"),
        (#"response.cookie["s"]"#, "x"), (#"json "$.name""#, "Ünal"),
        ("message.text", "hi"), ("note", "why?"), ("mark", "red"),
        ("grpc.service", "cart"), ("grpc.method", "items"), ("grpc.status", "NOT_FOUND"),
        ("content_type", "application/json"), ("response.body", "too busy"),
    ])
    func textsAreThoseThatComparisonsSee(field: String, text: String) throws {
        #expect(try value(field) == .text(Array(text.utf8)))
        let filter = try Filter("\(field) == \"\(text)\"", inStore: true)
        #expect(filter.matches(Self.full()))
    }

    @Test(arguments: [
        ("status", 503, "503"), ("port", 8443, "8443"), ("duration", 250_000, "250ms"),
        ("bytes.up", 6, "6"), ("bytes.down", 60, "60"), ("response.size", 2_097_152, "2MiB"),
    ])
    func numbersAreInTheUnitOfTheField(field: String, number: Int64, text: String) throws {
        #expect(try value(field) == .whole(number))
        #expect(try Filter("\(field) == \(text)").matches(Self.full()))
    }

    /// A value is known exactly where `exists` holds.
    @Test func everyFieldIsAbsentWhereItDoesNotExist() throws {
        for exchange in [Samples.bare(), Samples.full(), Self.full()] {
            for field in Field.allCases where field != .any && field != .env {
                let name =
                    field.isJSON
                    ? "\(field.name)[\"$.name\"]"
                    : field.isKeyed ? "\(field.name)[\"x-tag\"]" : field.name
                let exists = try Filter("\(name) exists", inStore: true).matches(exchange)
                let reference = try #require(try FieldReference.list(name).first)
                #expect((reference.value(in: exchange) != nil) == exists, "\(name)")
            }
        }
    }

    @Test func listsAreSplitAtCommasOutsideOfBrackets() throws {
        let fields = try FieldReference.list(#"route, tag["a,b"],json "$.x""#)
        #expect(fields.map(\.name) == ["route", #"tag["a,b"]"#, #"json "$.x""#])
        #expect(fields.map(\.isNumber) == [false, false, false])
        #expect(try FieldReference.list("status") == FieldReference.list(" status "))
    }

    @Test(arguments: [
        ("", 0, "expected a field"), ("sttus", 0, "unknown field 'sttus'"),
        ("status,", 7, "expected a field"), ("status method", 7, "expected ',' or the end"),
        ("any", 0, "'any' is no value"), (#"env["A"]"#, 0, "'env' is no value"),
        ("tag", 3, "expected '['"), (#"json["a"]"#, 4, "bad JSON path"),
    ])
    func wrongListsAreRejectedWithTheirPlace(text: String, offset: Int, message: String) {
        let error = #expect(throws: FilterError.self) { _ = try FieldReference.list(text) }
        #expect(error?.offset == offset)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}
