// SPDX-License-Identifier: MIT

import TestSupport

/// Texts of filters, all of which are valid.
enum RandomFilter {
    private static let texts = [
        "id", "source", "method", "url", "scheme", "host", "path", "route", "client", "server",
        "error", "correlation", "content_type", #"tag["team"]"#, #"tag["t\"1"]"#, #"query["x"]"#,
        #"env["E"]"#, #"env["NONE"]"#, "request.version", "response.version", "tls.version",
        #"request.header["x-a"]"#, #"response.header["X-A"]"#, #"request.header["x_a"]"#,
        #"response.header["x b"]"#, #"request.cookie["a"]"#, #"response.cookie["a"]"#,
        "request.body", "response.body", "message.text", "note", "mark",
        "grpc.service", "grpc.method", "grpc.status",
    ]
    private static let numbers = [
        "port", "status", "request.size", "response.size", "bytes.up", "bytes.down",
    ]
    private static let json = [
        #"json "$.a""#, #"request.json["$.b[*].a"]"#, #"response.json["$.b[1]"]"#, #"json "$""#,
    ]
    private static let values = [
        "a", "b", "A", "", "x", "n", "note", "request", "GET", "get", "/a", "/a/b", "/users/17",
        "/users/{id}", "/a/*", "http", "https", "HTTPS", "h.test", "H.Test", "a.shop.test", "proxy",
        "replay", "10.0.0.1:1", "reset", "HTTP/2", "TLSv1.3", "text/plain", "application/json", "é",
        "text", "correlation", "1", "base64", "u0000", "%", "_", "line 1999", "http://h.test/a",
        "0af7651916cd43dd8448eb211c80319c", "01930000-0000-7003-8000-000000000001",
        "01930000-0000-7003-8000-00000000000A", #"a\u0000b"#, #"\u0000"#, #"q\"\\"#, "HTTP/1.1",
        "OK", "NOT_FOUND", "17", "b", " ", ",", "],[", ":", "; ", "b=2", "1; b", "JSON; a", " x",
        "{", #"\",\""#, "e 1",
    ]
    private static let globs = [
        "*", "a*", "*a", "*a*", "*.test", "h*t", "*a*b*", "?", "a?", "[a]*b*", "", "/a*", "*[*b*",
        #"*\u0000*"#, "/*/*", "*é*", "**", "h*.*t*",
    ]

    static func make(_ random: inout Random, depth: Int) -> String {
        switch depth == 0 ? 0 : random.below(6) {
        case 1: "not \(atom(&random, depth))"
        case 2: "\(atom(&random, depth)) and \(atom(&random, depth))"
        case 3: "\(atom(&random, depth)) or \(atom(&random, depth))"
        case 4:
            (0..<random.below(5) + 2).map { _ in atom(&random, 1) }
                .joined(separator: random.below(2) == 0 ? " and " : " or ")
        default: comparison(&random)
        }
    }

    private static func atom(_ random: inout Random, _ depth: Int) -> String {
        "(\(make(&random, depth: depth - 1)))"
    }

    private static func comparison(_ random: inout Random) -> String {
        switch random.below(12) {
        case 0, 1:
            number(random.pick(numbers), random.pick(["0", "1", "200", "404", "502.5"]), &random)
        case 2: number("duration", random.pick(["100ms", "0", "0.25s", "150.5us"]), &random)
        case 3:
            number("started", random.pick(["now - 5us", "now", "now + 10us"]), &random)
        case 4: any(&random)
        case 5: closed(&random)
        case 6: document(&random)
        default: text(random.pick(texts), &random)
        }
    }

    private static func number(_ field: String, _ value: String, _ random: inout Random) -> String {
        switch random.below(9) {
        case 0: "\(field) exists"
        case 1: "\(field) in [\(value), \(value)]"
        case 2 where field != "duration" && field != "started":
            "\(field) >= \(random.pick(["9007199254740993", "9.3e15", "-1", "9223372036854775807"]))"
        default: "\(field) \(random.pick(["==", "!=", "<", "<=", ">", ">="])) \(value)"
        }
    }

    private static func any(_ random: inout Random) -> String {
        "any contains \"\(random.pick(values))\""
    }

    private static func closed(_ random: inout Random) -> String {
        switch random.below(4) {
        case 0: #"state in ["failed", "cancelled"]"#
        case 1: "state \(random.pick(["==", "!=", "<"])) \"completed\""
        case 2:
            #"status_class \#(random.pick(["==", "!=", ">"])) "\#(random.pick(["2xx", "5xx"]))""#
        default:
            random.pick([#"status_class ~ "[45]""#, #"state like "*ed""#, "status_class exists"])
        }
    }

    private static func document(_ random: inout Random) -> String {
        let field = random.pick(json)
        return switch random.below(5) {
        case 0: "\(field) exists"
        case 1: "\(field) == true"
        case 2: "\(field) \(random.pick(["==", "!=", "<", ">"])) \(random.pick(["1", "2.5"]))"
        case 3: "\(field) in [\"x\", 1]"
        default: "\(field) == \"\(random.pick(values))\""
        }
    }

    private static func text(_ field: String, _ random: inout Random) -> String {
        let value = "\"\(random.pick(values))\""
        return switch random.below(8) {
        case 0: "\(field) exists"
        case 1: "\(field) in [\(value), \"\(random.pick(values))\", env[\"E\"]]"
        case 2: "\(field) like \"\(random.pick(globs))\""
        case 3: "\(field) ~ \"\(random.pick(["a", "^a$", "^/a", "(?i)h"]))\""
        case 4: "\(field) contains \(value)"
        default: "\(field) \(random.pick(["==", "==", "!=", "<", "<=", ">", ">="])) \(value)"
        }
    }
}
