// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import Testing

@Suite("Origins of servers")
struct OriginTests {
    @Test(
        "are parsed from an authority, with the scheme's port by default",
        arguments: [
            ("a.test", false, "a.test", 80), ("a.test", true, "a.test", 443),
            ("a.test:8080", true, "a.test", 8080), ("[::1]:81", false, "::1", 81),
            ("a.test:0", false, nil, 0), ("a.test:65536", false, nil, 0), ("", false, nil, 0),
        ] as [(String, Bool, String?, UInt16)]
    )
    func authority(text: String, isSecure: Bool, host: String?, port: UInt16) {
        let origin = Origin(authority: text.utf8.span, isSecure: isSecure)
        #expect(origin.map { "\($0.host)" } == host)
        if host != nil { #expect(origin?.port == port) }
    }

    @Test("of h2c URLs are known to speak HTTP/2, where those are allowed")
    func h2c() {
        let origin = Origin(url: "H2C://a.test:81", allowsH2C: true)
        #expect(origin?.hasPriorKnowledge == true && origin?.isSecure == false)
        #expect(origin?.port == 81 && origin?.scheme == "http")
        #expect(Origin(url: "h2c://a.test:81") == nil)
        #expect(Origin(url: "http://a.test", allowsH2C: true)?.hasPriorKnowledge == false)
    }

    @Test(
        "are written as in Host and in CONNECT",
        arguments: [
            ("a.test", 80, false, "a.test", "a.test:80"),
            ("a.test", 80, true, "a.test:80", "a.test:80"),
            ("a.test", 443, true, "a.test", "a.test:443"),
            ("::1", 81, false, "[::1]:81", "[::1]:81"),
        ] as [(ByteString, UInt16, Bool, ByteString, ByteString)]
    )
    func names(
        host: ByteString,
        port: UInt16,
        isSecure: Bool,
        authority: ByteString,
        hostPort: ByteString
    ) {
        let origin = Origin(isSecure: isSecure, host: host, port: port)
        #expect(origin.authority == authority)
        #expect(origin.hostPort == hostPort)
        #expect(origin.scheme == (isSecure ? "https" : "http"))
    }

    @Test("are equal if all parts are, and then have equal hashes")
    func equality() {
        let long = ByteString("a-rather-long-name-of-a-host.shop.test")
        func origins() -> [Origin] {
            [
                Origin(isSecure: false, host: long, port: 80),
                Origin(isSecure: true, host: long, port: 80),
                Origin(isSecure: false, host: long, port: 81),
                Origin(isSecure: false, host: "a.test", port: 80),
                Origin(isSecure: false, host: long, port: 80, serverName: "b.test"),
            ]
        }
        for (left, one) in origins().enumerated() {
            for (right, other) in origins().enumerated() {
                #expect((one == other) == (left == right))
                if left == right { #expect(one.hashValue == other.hashValue) }
            }
        }
    }

    @Test("are supported if their scheme is http or https, ignoring case")
    func schemes() {
        let schemes: [ByteString] = ["http", "HTTPS", "ftp", "", "httpx"]
        #expect(schemes.map { Origin.serves($0) } == [true, true, false, false, false])
        #expect(Origin(Request(method: "GET", target: "/", scheme: "ftp", authority: "a")) == nil)
    }
}
