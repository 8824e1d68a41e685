// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct GRPCCallTests {
    private func call(
        _ type: String = "application/grpc",
        path: String = "/shop.v1.Orders/Get",
        fields: FieldSection = FieldSection(),
        trailers: FieldSection = FieldSection()
    ) -> Exchange {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
        exchange.request.target = ByteString(path)
        exchange.request.fields.append(name: "content-type", value: type)
        exchange.response = Response(fields: fields, trailers: trailers)
        return exchange
    }

    @Test(
        arguments: [
            ("application/grpc", GRPCForm.grpc), ("Application/gRPC+proto", .grpc),
            ("application/grpc; charset=utf-8", .grpc), ("application/grpc-web+json", .web),
            ("application/grpc-web-text", .webText), ("application/grpcx", nil),
            ("application/json", nil), ("application/grpc-web-textual", nil), ("", nil),
        ] as [(String, GRPCForm?)]
    )
    func theContentTypeDeterminesTheForm(type: String, form: GRPCForm?) {
        let found = GRPCForm(contentType: type.utf8.span)
        #expect(found == form)
    }

    @Test func onlyProtobufMessagesAreProtobuf() {
        let types = [
            "application/grpc", "application/grpc+proto; a=b", "application/grpc+json",
        ]
        let found = types.map { GRPCForm.isProtobuf(contentType: $0.utf8.span) }
        #expect(found == [true, true, false])
    }

    @Test func serviceAndMethodAreTheLastPartsOfThePath() {
        #expect(GRPCCall.service(call()) == "shop.v1.Orders")
        #expect(GRPCCall.method(call(path: "/api/shop.Orders/Get?x=1")) == "Get")
        #expect(GRPCCall.service(call(path: "/api/shop.Orders/Get")) == "shop.Orders")
        for path in ["/", "/Get", "//", "/a/", "*", ""] {
            #expect(GRPCCall.method(call(path: path)) == nil, "\(path)")
        }
        #expect(GRPCCall.service(call("text/plain")) == nil)
    }

    @Test func theStatusIsThatOfTheTrailersOrOfAResponseWithoutMessages() {
        #expect(GRPCCall.status(call(trailers: ["grpc-status": "5"])) == "NOT_FOUND")
        let both = call(fields: ["grpc-status": "2"], trailers: ["grpc-status": "0"])
        #expect(GRPCCall.status(both) == "OK")
        #expect(GRPCCall.status(call(fields: ["Grpc-Status": "16"])) == "UNAUTHENTICATED")
        #expect(GRPCCall.status(call(fields: ["grpc-status": "17"])) == "17")
        #expect(GRPCCall.status(call(fields: ["grpc-status": "x"])) == nil)
        #expect(GRPCCall.status(call(fields: ["grpc-status": "99999999999999999999"])) == nil)
        #expect(GRPCCall.status(call()) == nil)
        var tagged = call(trailers: ["grpc-status": "5"])
        tagged.tags[GRPCCall.statusTag] = "ABORTED"
        #expect(GRPCCall.status(tagged) == "ABORTED")
        var stated = Exchange(id: ExchangeID(high: 1, low: 2))
        var extra = ExchangeExtra()
        extra.grpc = GRPCFacts(service: "a.B", method: "C", status: 5, message: "no")
        stated.extra = extra
        #expect(GRPCCall.status(stated) == "NOT_FOUND" && GRPCCall.message(stated) == "no")
        #expect(GRPCCall.service(stated) == "a.B" && GRPCCall.method(stated) == "C")
    }

    @Test func aCallIsNotedInPartsAndTags() {
        var exchange = call(trailers: ["grpc-status": "5", "grpc-message": "no%20order"])
        GRPCCall.note(in: &exchange)
        let facts = GRPCFacts(
            service: "shop.v1.Orders",
            method: "Get",
            status: 5,
            message: "no order"
        )
        #expect(exchange.extra?.grpc == facts)
        #expect(exchange.tags == ["grpc.status": "NOT_FOUND", "grpc.message": "no order"])
        var other = call("text/plain", trailers: ["grpc-status": "5"])
        GRPCCall.note(in: &other)
        #expect(other.extra == nil && other.tags.isEmpty)
    }

    @Test func theMessageIsPercentDecoded() {
        let found = GRPCCall.message(call(trailers: ["grpc-message": "no%20order+%C3%A9%"]))
        #expect(found == "no order+é%")
    }
}
