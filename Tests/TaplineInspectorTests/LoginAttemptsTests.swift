// SPDX-License-Identifier: MIT

import Synchronization
import TaplineNet
import Testing

@testable import TaplineInspector

@Suite("Wrong passwords")
struct LoginAttemptsTests {
    private static let second: Int64 = 1_000_000
    private let address = IPAddress("192.0.2.1")
    private let client = LoginAttempts.Client(IPAddress("192.0.2.1"))

    /// The browsers of an address that have not logged in before.
    private func client(at address: String) -> LoginAttempts.Client { .init(IPAddress(address)) }

    @Test("cost nothing at first, then each one doubles the wait, up to five minutes")
    func doubles() {
        var attempts = LoginAttempts()
        var now: Int64 = 0
        var waits: [Int64] = []
        for _ in 0..<16 {
            attempts.failed(client, at: now)
            let wait = attempts.wait(of: client, at: now)
            waits.append(wait / Self.second)
            now += wait
            #expect(attempts.wait(of: client, at: now) == 0)
        }
        #expect(waits == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        #expect(attempts.wrong == 16)
    }

    @Test("do not overflow, however many there are")
    func many() {
        var attempts = LoginAttempts()
        for _ in 0..<10_000 { attempts.failed(client, at: 0) }
        #expect(attempts.wait(of: client, at: 0) == LoginAttempts.longestWait)
    }

    @Test("are forgotten after the right one, or after an hour")
    func forgotten() {
        var attempts = LoginAttempts()
        for _ in 0..<6 { attempts.failed(client, at: 0) }
        attempts.succeeded(client)
        #expect(attempts.wait(of: client, at: 0) == 0)
        for _ in 0..<10 { attempts.failed(client, at: 0) }
        attempts.failed(client, at: 3601 * Self.second)
        #expect(attempts.wait(of: client, at: 3601 * Self.second) == 0)
    }

    @Test("count for each address, mapped ones too, and for each network of IPv6")
    func groups() {
        var attempts = LoginAttempts()
        for _ in 0..<6 { attempts.failed(client, at: 0) }
        #expect(attempts.wait(of: client(at: "192.0.2.2"), at: 0) == 0)
        #expect(attempts.wait(of: .network(nil), at: 0) == 0)
        #expect(attempts.wait(of: client(at: "::ffff:192.0.2.1"), at: 0) > 0)
        for last in 1...6 {
            attempts.failed(client(at: "2001:db8::\(last)"), at: 0)
        }
        #expect(attempts.wait(of: client(at: "2001:db8::9:9"), at: 0) > 0)
        #expect(attempts.wait(of: client(at: "2001:db8:0:1::1"), at: 0) == 0)
    }

    @Test("of more addresses than are remembered take the place of the oldest")
    func bounded() {
        var attempts = LoginAttempts()
        for _ in 0..<6 { attempts.failed(client, at: 0) }
        for number in 1...5000 {
            let address = IPAddress(v4: 0x0A00_0000 + UInt32(number))
            attempts.failed(.init(address), at: Int64(number))
        }
        #expect(attempts.clients == LoginAttempts.maxClients)
        #expect(attempts.wrong == 5006)
        #expect(attempts.wait(of: client, at: 0) == 0)
    }

    @Test("are refused, and the right one too while the client has to wait, but not that of others")
    func login() throws {
        let clock = Mutex<Int64>(0)
        let password = try AccessPassword(Array("correct horse battery".utf8))
        let login = PasswordLogin(password, { _ in }, now: { clock.withLock { $0 } })
        func status(_ text: String?, from address: String) -> Int {
            do throws(APIError) {
                try login.check(text, from: IPAddress(address))
                return 200
            } catch {
                return error.status
            }
        }
        for _ in 0..<5 { #expect(status("wrong horse battery", from: "192.0.2.1") == 401) }
        #expect(status("correct horse battery", from: "192.0.2.1") == 429)
        #expect(status("correct horse battery", from: "192.0.2.2") == 200)
        clock.withLock { $0 += Self.second }
        #expect(status("correct horse battery", from: "192.0.2.1") == 200)
        // No password at all is not an attempt.
        for _ in 0..<20 { #expect(status(nil, from: "192.0.2.3") == 401) }
        #expect(status("correct horse battery", from: "192.0.2.3") == 200)
    }

    @Test("of an address do not keep out a browser that has logged in from there before")
    func known() throws {
        let password = try AccessPassword(Array("correct horse battery".utf8))
        let login = PasswordLogin(password, { _ in }, now: { 0 })
        func status(_ text: String, _ cookies: [[UInt8]]) -> Int {
            do throws(APIError) {
                try login.check(text, from: address, cookies: cookies)
                return 200
            } catch {
                return error.status
            }
        }
        let line = login.remember(beside: "tapline-1")
        let parts = line.split(separator: "; ").map(String.init)
        #expect(
            parts.dropFirst() == [
                "HttpOnly", "SameSite=Strict", "Path=/api/login", "Max-Age=2592000", "Secure",
            ]
        )
        let name = "tapline-1-known="
        #expect(parts[0].hasPrefix(name))
        let cookie = Array(parts[0].dropFirst(name.count).utf8)
        let other = [UInt8](repeating: 0x61, count: cookie.count)
        for _ in 0..<5 { #expect(status("wrong horse battery", [other]) == 401) }
        #expect(status("correct horse battery", [other]) == 429)
        #expect(status("correct horse battery", []) == 429)
        #expect(status("correct horse battery", [other, cookie]) == 200)
        // Its own wrong ones make it wait, too.
        for _ in 0..<5 { #expect(status("wrong horse battery", [cookie]) == 401) }
        #expect(status("correct horse battery", [cookie]) == 429)
    }

    @Test("are counted in the log, once a second at most, and not shown there")
    func logged() throws {
        let clock = Mutex<Int64>(0)
        let lines = Mutex<[String]>([])
        let password = try AccessPassword(Array("correct horse battery".utf8))
        let login = PasswordLogin(
            password,
            { line in lines.withLock { $0.append(line) } },
            now: { clock.withLock { $0 } }
        )
        login.report()
        try? login.check("guess-number-one", from: address)
        for _ in 0..<10 { login.report() }
        try? login.check("guess-number-two", from: address)
        try? login.check("guess-number-3", from: IPAddress("192.0.2.7"))
        login.report()
        clock.withLock { $0 += Self.second }
        for _ in 0..<10 { login.report() }
        #expect(
            lines.withLock { $0 } == [
                "a wrong password from 192.0.2.1; 1 so far",
                "2 wrong passwords, the last one from 192.0.2.7; 3 so far",
            ]
        )
    }

    @Test(
        "cannot be chosen: too short, too long, or not typeable",
        arguments: [
            "", "elevenbytes", "twelve\u{7}bytes!", "line\nline line", "\u{FEFF}twelve bytes!",
            String(repeating: "x", count: 1025),
        ]
    )
    func bad(_ text: String) {
        #expect(throws: InspectorError.self) { try AccessPassword(Array(text.utf8)) }
    }

    @Test("are distinguished from the right one, whose text is not kept")
    func matches() throws {
        for text in ["twelve bytes", "Grüße aus 東京", String(repeating: "x", count: 1024)] {
            let password = try AccessPassword(Array(text.utf8))
            #expect(password.matches(text))
            for other in ["", text + " ", String(text.dropLast()), text.uppercased()] {
                #expect(!password.matches(other))
            }
            var shown = ""
            dump(password, to: &shown)
            #expect(!shown.contains(text))
        }
        #expect(throws: InspectorError.self) {
            try AccessPassword([UInt8](repeating: 0xFF, count: 20))
        }
    }
}
