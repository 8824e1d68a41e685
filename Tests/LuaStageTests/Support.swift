// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineModel
import TaplinePlugin

@testable import LuaStage

/// A stage with a script, and the lines that the script logged.
final class Bench {
    let stage: LuaStage
    let setup: LuaSetup
    private let lines = LineList()

    /// Creates and starts a stage with a script.
    ///
    /// Without explicit limits, a hook may take a minute: on a busy machine, more than a second can
    /// pass before a thread runs at all.
    init(
        _ code: String,
        limits: LuaLimits = LuaLimits(time: .seconds(60)),
        config: String = "{}",
        seed: UInt64 = 0,
        logLinesASecond: Int = 0,
        collectsCoverage: Bool = false
    ) throws {
        let lines = self.lines
        let log = Log(component: "lua") { entry in lines.append(entry.message) }
        setup = LuaSetup(
            limits: limits,
            config: Array(config.utf8),
            shared: LuaShared(logLinesASecond: logLinesASecond)
        )
        stage = try LuaStage(
            LuaScript(path: "test.lua", text: Array(code.utf8)),
            setup,
            context: StageContext(
                id: "lua",
                log: log,
                seed: seed,
                collectsCoverage: collectsCoverage
            )
        )
        try stage.start()
    }

    /// The lines that the script has logged so far.
    var log: [String] { lines.all }

    /// Runs lines of Lua as the body of a hook for an exchange, and returns their log lines.
    static func log(
        _ body: String,
        hook: String = "record",
        of exchange: Exchange = .sample
    ) throws -> [String] {
        let bench = try Bench("function \(hook)(ex)\n\(body)\nend")
        var exchange = exchange
        try bench.run(hook, &exchange)
        return bench.log
    }

    /// Runs lines of Lua as the body of a hook, and returns the changed exchange.
    static func edit(
        _ body: String,
        hook: String = "record",
        of exchange: Exchange = .sample
    ) throws -> Exchange {
        let bench = try Bench("function \(hook)(ex)\n\(body)\nend")
        var exchange = exchange
        try bench.run(hook, &exchange)
        return exchange
    }

    /// Runs lines of Lua as the body of a hook, and returns the error.
    static func failure(
        _ body: String,
        hook: String = "record",
        of exchange: Exchange = .sample,
        limits: LuaLimits = LuaLimits()
    ) -> ScriptError? {
        do {
            let bench = try Bench("function \(hook)(ex)\n\(body)\nend", limits: limits)
            var exchange = exchange
            try bench.run(hook, &exchange)
            return nil
        } catch {
            return error as? ScriptError
        }
    }

    /// Runs one hook.
    func run(_ hook: String, _ exchange: inout Exchange) throws {
        var context = ExchangeContext()
        context.hasRequestBody = true
        context.hasResponseBody = true
        switch hook {
        case "request": _ = try stage.request(&exchange, &context)
        case "response": _ = try stage.response(&exchange, &context)
        case "message":
            let messages = exchange.messages
            exchange.messages = []
            for var message in messages {
                let verdict = try stage.message(&message, &exchange, &context)
                if verdict == .abort { exchange.state = .cancelled }
                if verdict == .pass { exchange.messages.append(message) }
            }
        default: _ = try stage.record(&exchange, &context)
        }
    }
}

/// A list of lines that any thread may append to.
final class LineList: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

extension Exchange {
    /// An exchange with everything that a script can see.
    static var sample: Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0001),
            source: "replay",
            state: .completed,
            started: Timestamp(microseconds: 1_700_000_000_250_000),
            request: Request(
                method: "POST",
                target: "/cart/items?x=1&y=a%20b&x=2",
                scheme: "https",
                authority: "shop.test:8443",
                fields: [
                    "Host": "shop.test:8443", "X-A": "1", "x-a": "2",
                    "Content-Type": "application/json",
                ],
                body: Body(Array(#"{"a":[1,null],"n":9007199254740993,"e":[]}"#.utf8))
            ),
            response: Response(
                status: 200,
                reason: "OK",
                fields: [
                    "Content-Type": "text/plain", "Set-Cookie": "a=1", "Set-Cookie": "b=2",
                    "Content-Length": "5",
                ],
                body: Body(Array("hello".utf8))
            )
        )
        exchange.connection = Connection(client: "127.0.0.1:51234", server: "127.0.0.1:8443")
        exchange.timing.total = Microseconds(15_500)
        exchange.tags["team"] = "checkout"
        return exchange
    }
}

extension Exchange {
    /// The exchange of the reference pages: the sample with the details that a proxy records.
    static var documented: Exchange {
        var exchange = Exchange.sample
        exchange.timing.connect = Microseconds(300)
        exchange.timing.wait = Microseconds(12_100)
        exchange.connection.isReused = true
        exchange.connection.tls = TLSInfo(
            version: "TLSv1.3",
            cipher: "TLS_AES_128_GCM_SHA256",
            sni: "shop.test",
            alpn: "http/1.1"
        )
        exchange.connection.serverTLS = TLSInfo(version: "TLSv1.2", alpn: "h2")
        exchange.bytes = ByteCounts(
            up: ByteCounts.Direction(line: 44, headers: 100, body: 42),
            down: ByteCounts.Direction(line: 17, headers: 90, body: 5),
            isExact: true
        )
        exchange.original = Original(url: "https://prod.test/cart/items")
        exchange.state = .failed
        exchange.error = ExchangeError(code: "reset", message: "the server closed the connection")
        exchange.messages = [
            StreamMessage(
                direction: .up,
                at: Microseconds(3100),
                bytes: Array("token=abc".utf8),
                size: 9
            ),
            StreamMessage(
                direction: .down,
                type: "binary",
                bytes: Array("x".utf8),
                isTruncated: true
            ),
        ]
        exchange.response?.trailers = ["X-Checksum": "5d41"]
        exchange.response?.interim = [
            InterimResponse(
                status: 103,
                reason: "Early Hints",
                fields: ["Link": "</style.css>; rel=preload"]
            )
        ]
        return exchange
    }
}

/// The CPU time of this thread in seconds, which does not depend on the load of the machine.
func processorTime(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try body()
    return now() - start
}
