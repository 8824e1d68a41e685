// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// A failed call whose error is caught has no effect: neither a verdict nor a partial change.
@Suite struct HalfChangesTests {
    /// Calls in which `%` is replaced with a value that some of them refuse.
    private static let calls: [String: [String]] = [
        "request": [
            "ex.request.headers['X-A'] = %", "ex.request.headers:set('X-A', %)",
            "ex.request.headers:add('X-A', %)", "ex.request.headers.Via = %",
            "ex.request.headers[%] = 'x'", "ex.request.cookies.sid = %",
            "ex.request.cookies:set('sid', %)", "ex.request.cookies[%] = 'x'",
            "ex.request.query.x = %", "ex.request.query:set('x', %)",
            "ex.request.query:add('x', %)", "ex.request.query = %", "ex.request.url = %",
            "ex.request.host = %", "ex.request.port = %", "ex.request.scheme = %",
            "ex.request.path = %", "ex.request.method = %", "ex.request.body = %",
            "ex.request.json = %", "respond{file = %}",
        ],
        "form": [
            "ex.request:form().user = %", "ex.request:form():set('user', %)",
            "ex.request:form():add('user', %)", "ex.request:form()[%] = 'x'",
        ],
        "multipart": [
            "ex.request:multipart()[1].body = %", "ex.request:multipart():add(%)",
            "ex.request:multipart():add{name = 'a', body = %}",
            "ex.request:multipart():add{name = 'a', filename = %}",
            "ex.request:multipart():add{name = 'a', content_type = %}",
            "ex.request:multipart():add{name = 'a', headers = %}",
            "ex.request:multipart():add{name = 'a', headers = {A = '1', B = %}}",
        ],
        "response": [
            "ex.response.headers.Via = %", "ex.response.headers:add('Via', %)",
            "ex.response.cookies.a = %", "ex.response.cookies.new = {value = %}",
            "ex.response.cookies.a = {value = 'x', path = %}", "ex.response.status = %",
            "ex.response.reason = %", "ex.response.body = %", "ex.response.json = %",
        ],
        "record": ["ex.messages[1].text = %", "ex.messages[1].json = %"],
        "message": ["message.text = %", "message.json = %"],
        "every": [
            "ex.tags.a = %", "ex.vars.a = %", "ex.tags[%] = 'x'", "ex.vars[%] = 'x'",
            "respond(%)", "respond{status = %}", "respond{reason = %}", "respond{body = %}",
            "respond{json = %}", "respond{file = 'missing.json', status = 503}",
            "respond{headers = %}", "respond{status = 201, headers = {A = '1', B = %}}",
            "respond{headers = {{'A', '1'}, {'B', %}}}", "respond{status = 204, body = %}",
            "drop(%)", "delay(%)", "delay(1, %)", "delay(1, respond{status = %})",
            "abort(%, drop())",
        ],
    ]

    private static let values = [
        "{}", "{'ok', {}}", "{'ok', 'a\\r\\nb'}", "{'ok', true}", "{'ok', 'fine', print}",
        "{{'ok', 'fine'}, {'ok', print}}", "print", "true", "'a\\r\\nb'", "'\\0'", "-1", "0/0",
        "1e300", "'/missing'", "{ok = print}", "{1, {2, {print}}}", "coroutine.create(print)",
        "json.null", "ex", "('x'):rep(300)", "{ok = 'a', fine = 'b\\nc'}", "nil",
    ]

    private static let preparations = [
        "form": """
        ex.request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        ex.request.body = "user=ann&pass=a"
        """,
        "multipart": """
        ex.request.headers["Content-Type"] = "multipart/form-data; boundary=xyz"
        ex.request.body = '--xyz\\r\\nContent-Disposition: form-data; name="n"\\r\\n\\r\\na\\r\\n--xyz--\\r\\n'
        """,
    ]

    /// The effect of lines of a hook on an exchange.
    private struct Effect {
        var log: [String] = []
        var exchange = Exchange.documented
        var isPlain = true

        init(_ body: String, hook: String) throws {
            let parameters = hook == "message" ? "ex, message" : "ex"
            let bench = try Bench("function \(hook)(\(parameters))\n\(body)\nend")
            var context = ExchangeContext()
            context.hasRequestBody = true
            context.hasResponseBody = true
            switch hook {
            case "request": note(try bench.stage.request(&exchange, &context))
            case "response": note(try bench.stage.response(&exchange, &context))
            case "message":
                var message = exchange.messages[0]
                isPlain = try bench.stage.message(&message, &exchange, &context) == .pass
                exchange.messages[0] = message
            default: isPlain = try bench.stage.record(&exchange, &context).dropReason == nil
            }
            exchange.tags["vars"] = context.vars.map { "\($0.name)=\($0.value)" }.joined()
            log = bench.log
        }

        private mutating func note(_ verdict: Verdict) {
            if case .proceed = verdict.action { return isPlain = verdict.delay == Microseconds(0) }
            isPlain = false
        }
    }

    @Test(arguments: ["request", "response", "record", "message", "form", "multipart"])
    func aCaughtFailureChangesNothing(place: String) throws {
        let hook = Self.preparations[place] == nil ? place : "request"
        let prepared = Self.preparations[place] ?? ""
        let expected = try Effect("\(prepared)\nex.tags.done = 1", hook: hook)
        #expect(expected.isPlain)
        var count = 0
        for call in (Self.calls[place] ?? []) + Self.calls["every", default: []] {
            for value in Self.values {
                let tried = call.replacing("%", with: value)
                let body = """
                    \(prepared)
                    log(pcall(function() \(tried) end))
                    ex.tags.done = 1
                    """
                // A call that fails the hook has no effect either.
                guard let effect = try? Effect(body, hook: hook) else { continue }
                guard effect.log.first?.hasPrefix("false") == true else { continue }
                count += 1
                #expect(effect.isPlain, "\(tried)")
                #expect(effect.exchange == expected.exchange, "\(tried)")
            }
        }
        #expect(count > 100, "\(count)")
    }

    @Test func anInvalidResponseIsNotSent() throws {
        let effect = try Effect(
            "pcall(respond, {file = 'missing.json'}) ex.tags.done = 1",
            hook: "request"
        )
        #expect(effect.isPlain)
    }

    /// With any amount of memory left, an assignment either succeeds completely or fails the hook.
    @Test(arguments: ["url = 'http://other.test/p'", "host = 'other.test'", "port = 1"])
    func assignmentsAreAtomicWithLittleMemory(assignment: String) throws {
        // Finds the least memory with which the assignment succeeds, and tests slightly smaller
        // amounts.
        var (least, most) = (-60_000, 60_000)
        #expect(try !succeeds(assignment, room: least))
        #expect(try succeeds(assignment, room: most))
        while most - least > 1 {
            let room = (least + most) / 2
            if try succeeds(assignment, room: room) { most = room } else { least = room }
        }
        for room in stride(from: most - 600, to: most, by: 5) {
            _ = try succeeds(assignment, room: room)
        }
    }

    /// Whether an assignment succeeds with `room` more bytes of memory; expects it to be atomic.
    private func succeeds(_ assignment: String, room: Int) throws -> Bool {
        let bench = try Bench(
            """
            local filling = ("x"):rep(290000 - \(room))
            function request(ex)
              ex.tags.a = filling ex.tags.b = filling ex.tags.c = filling
              pcall(function() ex.request.\(assignment) end)
            end
            """,
            limits: LuaLimits(memory: 900_000)
        )
        var exchange = Exchange.sample
        exchange.request.target = "https://shop.test:8443/cart"
        let before = exchange
        var context = ExchangeContext()
        do {
            _ = try bench.stage.request(&exchange, &context)
            let request = exchange.request
            let parts = "\(request.target) \(request.authority) \(request.fields)"
            let isOld = parts.contains("shop.test:8443")
            let isNew = request.authority != before.request.authority
            #expect(isOld != isNew, "\(parts)")
            return true
        } catch {
            #expect(exchange == before)
            return false
        }
    }
}
