// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import RulesStage

/// Files of rules in tests.
enum RuleText {
    /// Parses the rules of a file, given from its list on.
    static func parse(_ rules: String, environment: [String: String] = [:]) throws -> RuleSet {
        var diagnostics = Diagnostics()
        let set = RuleSet.parse(
            ConfigSource(name: "rules.yaml", text: "version: 1\nrules:\n\(rules)"),
            environment: Environment(environment),
            protected: ProtectedFiles([]),
            into: &diagnostics
        )
        #expect(diagnostics.rendered == "")
        return try #require(set)
    }

    /// Returns the messages about a whole file that is invalid.
    static func problems(_ text: String) -> String {
        var diagnostics = Diagnostics()
        let set = RuleSet.parse(
            ConfigSource(name: "rules.yaml", text: text),
            protected: ProtectedFiles([]),
            into: &diagnostics
        )
        #expect(set == nil)
        return diagnostics.rendered
    }

    /// Returns what rules would have done to an exchange.
    static func evaluate(_ rules: String, _ exchange: Exchange) throws -> RuleEvaluation {
        try parse(rules).evaluate(exchange)
    }
}

extension Exchange {
    /// An exchange with a URL and a Host field.
    static func request(
        _ url: String,
        method: ByteString = "GET",
        fields: FieldSection = [:],
        body: String = "",
        response: Response? = nil,
        number: UInt64 = 2
    ) -> Exchange {
        var request = Request(method: method, fields: fields)
        request.setURL(url.utf8.span)
        let host = request.authority
        request.fields.append(name: "Host".utf8.span, value: host.span)
        if !body.isEmpty { request.body = Body(Array(body.utf8)) }
        return Exchange(
            id: ExchangeID(high: 1, low: number),
            request: request,
            response: response
        )
    }

    /// The text of the response's body.
    var responseText: String {
        String(decoding: response?.body.bytes ?? [], as: UTF8.self)
    }

    /// The text of the request's body.
    var requestText: String { String(decoding: request.body.bytes, as: UTF8.self) }
}

extension Response {
    /// A response with a JSON body.
    static func json(_ text: String, status: Int = 200) -> Response {
        Response(
            status: status,
            fields: ["Content-Type": "application/json"],
            body: Body(Array(text.utf8))
        )
    }
}
