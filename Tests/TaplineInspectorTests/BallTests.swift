// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import TaplineInspector

/// The ball, and attacks on what it may read.
@Suite("The ball", .timeLimit(.minutes(3)))
struct BallTests {
    private static let page = "http://localhost:5173"

    let folder: TemporaryFolder
    let server: InspectorServer
    let token: String

    init() throws {
        folder = try TemporaryFolder()
        var exchanges = Stored.exchanges
        exchanges[7].request.fields.append(name: "Origin", value: Self.page)
        exchanges[8].request.fields.append(name: "Referer", value: Self.page + "/cart")
        exchanges[9].request.authority = "localhost:5173"
        exchanges[9].request.scheme = "http"
        exchanges[10].request.fields.append(name: "Referer", value: Self.page + ".evil.test/")
        try Stored.add(exchanges, to: folder("traffic.db"))
        server = try InspectorServer([folder("traffic.db")], ballOrigins: [Self.page])
        token = String(server.ballURL?.split(separator: "=").last ?? "")
    }

    private func send(
        _ path: String,
        _ lines: [String] = ["Origin: \(page)"],
        method: String = "GET",
        token: String? = nil
    ) throws -> Answer {
        let mark = path.contains("?") ? "&" : "?"
        let target = "\(path)\(mark)token=\(token ?? self.token)"
        return try Browser.send(method, target, lines, port: server.address.port)
    }

    @Test("is a small script for the pages that were named")
    func script() throws {
        defer { server.stop() }
        let answer = try send("/ball.js")
        #expect(answer.status == 200)
        #expect(answer.field("Content-Type") == "text/javascript; charset=utf-8")
        #expect(answer.field("Access-Control-Allow-Origin") == Self.page)
        #expect(answer.field("Access-Control-Allow-Credentials") == nil)
        #expect(answer.field("Vary")?.contains("Accept-Encoding") == true)
        #expect(answer.text.contains("attachShadow({ mode: \"closed\" })"))
        #expect(answer.body.count < 30_000)
    }

    @Test("shows the exchanges of the page, newest first")
    func rows() throws {
        defer { server.stop() }
        let own = try send("/api/ball/rows?scope=page").json
        #expect(own["count"].number == 3)
        #expect(own["errors"].number == 2)
        #expect(
            own["rows"].list.compactMap { $0["path"].text } == ["/items/9", "/items/8", "/items/7"]
        )
        #expect(!own["all"].isTrue)
        let id = try #require(own["rows"][0]["id"].text)
        let detail = try send("/api/ball/exchanges/\(id)").json
        #expect(detail["row"]["error"].text == "reset")
        #expect(detail["message"].text == "connection reset by peer")
        #expect(detail["record"] == .null)
    }

    @Test("shows no exchange of another page, unless an option allows all")
    func others() throws {
        let path = "/api/ball/exchanges/\(Stored.exchanges[20].id)"
        #expect(try send("/api/ball/rows?scope=all").status == 403)
        #expect(try send(path).status == 404)
        server.stop()
        let all = try InspectorServer(
            [folder("traffic.db")],
            ballOrigins: [Self.page],
            ballShowsAll: true
        )
        defer { all.stop() }
        let token = String(all.ballURL?.split(separator: "=").last ?? "")
        func get(_ target: String) throws -> Answer {
            let lines = ["Origin: \(Self.page)"]
            return try Browser.send("GET", target, lines, port: all.address.port)
        }
        let rows = try get("/api/ball/rows?scope=all&token=\(token)").json
        #expect(rows["count"].number == 40 && rows["all"].isTrue)
        #expect(try get("\(path)?token=\(token)").status == 200)
    }

    @Test("answers no other origin, and no request without one")
    func origins() throws {
        defer { server.stop() }
        for lines in [
            [], ["Origin: null"], ["Origin: http://localhost:5174"],
            ["Origin: https://localhost:5173"],
            ["Origin: http://localhost:5173.evil.test"], ["Origin: http://127.0.0.1:5173"],
            ["Origin: http://127.0.0.1:\(server.address.port)"], ["Referer: \(Self.page)/"],
            ["Origin: \(Self.page)", "Origin: http://evil.test"],
            ["Origin: \(Self.page)", "Host: evil.test"], ["Origin: \(Self.page)", "Via: 1.1 x"],
        ] {
            for path in ["/ball.js", "/api/ball/rows", "/api/ball/exchanges/x"] {
                let answer = try send(path, lines)
                #expect(answer.status == 403 || answer.status == 400, "\(path) \(lines)")
                #expect(answer.field("Access-Control-Allow-Origin") == nil, "\(path) \(lines)")
            }
        }
    }

    @Test("has a token of its own, with which nothing else can be read or changed")
    func tokens() throws {
        defer { server.stop() }
        let pageToken = String(server.url.split(separator: "=").last ?? "")
        #expect(token.count == 64 && token != pageToken)
        for wrong in ["", "x", pageToken, String(token.dropLast()), token + "0"] {
            #expect(try send("/api/ball/rows", token: wrong).status == 401, "\(wrong)")
            #expect(try send("/ball.js", token: wrong).status == 401, "\(wrong)")
        }
        for path in ["/api/info", "/api/rows", "/api/exchanges/x", "/api/export?to=har"] {
            #expect(try send(path).status == 403, "\(path)")
            #expect(try send(path, []).status == 401, "\(path)")
        }
        let login = try Browser.send(
            "POST",
            "/api/login",
            ["Content-Type: application/json"],
            body: Array("{\"token\":\"\(token)\"}".utf8),
            port: server.address.port
        )
        #expect(login.status == 401)
    }

    @Test("cannot change anything, ask whether it may, or reach other paths")
    func changes() throws {
        defer { server.stop() }
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            let answer = try send("/api/ball/rows", method: method)
            #expect(answer.status == 405, "\(method)")
            #expect(answer.field("Access-Control-Allow-Methods") == nil)
        }
        for path in ["", "/", "/rows/x", "/exchanges", "/exchanges/a/b", "/export", "/../info"] {
            #expect(try send("/api/ball\(path)").status == 404, "\(path)")
        }
    }

    @Test("is not there unless an origin is named")
    func off() throws {
        server.stop()
        let plain = try InspectorServer([folder("traffic.db")])
        defer { plain.stop() }
        #expect(plain.ballURL == nil)
        for path in ["/ball.js?token=", "/api/ball/rows?token="] {
            let answer = try Browser.send(
                "GET",
                path,
                ["Origin: \(Self.page)"],
                port: plain.address.port
            )
            #expect(answer.status == 403 || answer.status == 404)
            #expect(answer.field("Access-Control-Allow-Origin") == nil)
        }
    }
}
