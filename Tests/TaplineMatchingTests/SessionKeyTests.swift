// SPDX-License-Identifier: MIT

@testable import TaplineMatching
import TaplineModel
import TaplineQuery
import Testing

/// What makes requests belong to one session.
@Suite struct SessionKeyTests {
    private func exchange(
        client: String = "10.0.0.1:5000",
        target: ByteString = "/",
        _ fields: FieldSection = [:],
        sets: FieldSection = [:]
    ) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: 0),
            request: Request(target: target, authority: "shop.test", fields: fields),
            response: Response(fields: sets)
        )
        exchange.connection.client = client
        return exchange
    }

    private func areSame(_ key: String, _ first: Exchange, _ second: Exchange) throws -> Bool {
        let key = try SessionKey(parsing: key)
        return key.session(of: first, owner: nil) == key.session(of: second, owner: nil)
    }

    @Test func aClientIsAnAddressWithoutPort() throws {
        let other = exchange(client: "10.0.0.1:6000")
        #expect(try areSame("client", exchange(), other))
        #expect(try !areSame("client", exchange(), exchange(client: "10.0.0.2:5000")))
        #expect(try areSame("client", exchange(client: "[::1]:1"), exchange(client: "[::1]:2")))
        #expect(try !areSame("auto", exchange(), other))
        // Addresses without ports.
        let first = exchange(client: "2001:db8::1")
        #expect(try !areSame("client", first, exchange(client: "2001:db8::2")))
    }

    @Test func aCookieNamesTheSessionFromTheResponseThatSetsIt() throws {
        let login = exchange(client: "a:1", sets: ["Set-Cookie": "sid=one; Path=/"])
        let next = exchange(client: "b:2", ["Cookie": "x=1; sid=one"])
        #expect(try areSame("cookie sid", login, next))
        #expect(try !areSame("cookie sid", next, exchange(client: "b:2", ["Cookie": "sid=two"])))
    }

    @Test func withoutTheFieldTheClientDecides() throws {
        #expect(try areSame("header x-user", exchange(), exchange()))
        #expect(try !areSame("header x-user", exchange(), exchange(["X-User": "1"])))
        #expect(
            try areSame(
                "header x-user",
                exchange(client: "a:1", ["X-User": "1"]),
                exchange(client: "b:1", ["X-User": "1"])
            )
        )
    }

    @Test func aQueryItemOrAJSONValueNamesTheSession() throws {
        func asked(_ target: ByteString, _ body: String) -> Exchange {
            var exchange = exchange(client: "a:1", target: target)
            exchange.request.body = Body(Array(body.utf8))
            return exchange
        }
        let first = asked("/jobs?id=1", #"{"job":{"id":7}}"#)
        #expect(try areSame("query id", first, asked("/other?id=1", "")))
        #expect(try !areSame("query id", first, asked("/jobs?id=2", "")))
        #expect(try areSame("json $.job.id", first, asked("/", #"{ "job": { "id": 7 } }"#)))
        #expect(try !areSame("json $.job.id", first, asked("/", #"{"job":{"id":8}}"#)))
        #expect(throws: FilterError.self) { try SessionKey(parsing: "json job") }
    }

    @Test func fieldsOfTheFilterLanguageMakeASession() throws {
        let key = #"query["user"], host"#
        let first = exchange(client: "a:1", target: "/a?user=1")
        #expect(try areSame(key, first, exchange(client: "b:1", target: "/b?user=1")))
        #expect(try !areSame(key, first, exchange(client: "a:1", target: "/a?user=2")))
    }

    @Test func withoutAnyOfTheFieldsTheClientDecides() throws {
        let key = #"request.cookie["sid"], query["user"]"#
        let first = exchange(client: "a:1")
        #expect(try areSame(key, first, exchange(client: "a:2")))
        #expect(try !areSame(key, first, exchange(client: "b:1")))
        // One value is enough.
        let user = exchange(client: "a:1", target: "/?user=1")
        #expect(try areSame(key, user, exchange(client: "b:1", target: "/?user=1")))
        #expect(try !areSame(key, first, user))
    }

    @Test(arguments: ["", "cookie", "cookies sid", "nothing", "header"])
    func otherTextsAreErrors(text: String) {
        #expect(throws: FilterError.self) { try SessionKey(parsing: text) }
    }
}
