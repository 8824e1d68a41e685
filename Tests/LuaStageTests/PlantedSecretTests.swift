// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// Values of a script do not appear in error messages that it did not raise itself, and addresses
/// do not appear in its log lines.
@Suite struct PlantedSecretTests {
    /// A secret as a word, with quotes and line ends, and in the words of messages.
    static let secrets = [
        "s3cret", "a 's3cret' \\\"b\\\"", "s3cret\\n.s3cret", "number value (local 's3cret')",
        "s3cret, got s3cret", "4111111111s3cret",
    ]

    /// The functions of all libraries, as scripts write them.
    static let functions: [String] = {
        let lines = try? Bench.log(
            """
            local names = {}
            for name, value in pairs(_G) do
              if type(value) == "function" then names[#names + 1] = name end
              if type(value) == "table" and name ~= "_G" and name ~= "log" then
                for member, inner in pairs(value) do
                  if type(inner) == "function" then names[#names + 1] = name .. "." .. member end
                end
              end
            end
            table.sort(names)
            for _, name in ipairs(names) do
              if name ~= "error" and name ~= "print" and name ~= "record" then log(name) end
            end
            """
        )
        return lines ?? []
    }()

    private static func script(_ secret: String, _ body: String) -> String {
        """
        local secret = "\(secret)"
        local named = setmetatable({}, {__name = secret})
        local list, object = {secret}, {[secret] = secret}
        local thread = coroutine.create(print)
        \(body)
        """
    }

    private static let arguments = [
        "secret", "named", "secret, secret", "named, secret", "'x', secret", "'x', named",
        "'x', 'x', secret", "'x', 'x', named", "{}, secret", "{}, named", "{}, 1, secret",
        "{}, 1, 1, named", "1, secret", "1, named", "list", "object", "list, list", "thread, named",
        "'%d', secret", "'%' .. secret, 1", "'x', '(' .. secret", "'x', '[' .. secret",
        "'x', 'x', '%' .. secret", "'x', 1, secret", "print, named", "named, named",
        "secret, 'x', {}", "{host = named}", "{secret, named}", "{{secret, named}}",
        "{headers = named}", "{headers = object}", "{headers = {list}}", "{status = secret}",
        "{reason = secret .. '\\n'}", "{file = secret}", "{file = named}", "'i' .. 1e15 // 1, 1",
    ]

    @Test func functionsAreFound() {
        #expect(Self.functions.count > 90, "\(Self.functions.count)")
    }

    /// A hook that makes the call whose number is the path, after it has logged the error that a
    /// script that catches it gets.
    private static func bench(_ secret: String, _ calls: [String]) throws -> Bench {
        let functions = calls.map { "function() return \($0) end," }.joined(separator: "\n")
        return try Bench(
            """
            \(script(secret, "local calls = {\n\(functions)\n}"))
            function request(ex)
              local call = calls[tonumber(ex.request.path:sub(2))]
              local ok, message = pcall(call)
              if not ok then log(message) end
              return call()
            end
            """
        )
    }

    @Test(arguments: secrets)
    func argumentsAreNotShown(secret: String) throws {
        let calls = Self.functions.filter { $0 != "assert" }.flatMap { function in
            Self.arguments.map { "\(function)(\($0))" }
        }
        var failed = 0
        let bench = try Self.bench(secret, calls)
        var seen = 0
        for (number, call) in calls.enumerated() {
            var exchange = Exchange.sample
            exchange.request.target = ByteString("/\(number + 1)")
            do {
                try bench.run("request", &exchange)
            } catch let error as ScriptError {
                failed += 1
                #expect(!error.description.contains("s3cret"), "\(call): \(error)")
            }
            let logged = bench.log
            #expect(
                logged[seen...].allSatisfy { !$0.contains("s3cret") },
                "\(call): \(logged[seen...])"
            )
            seen = logged.count
        }
        #expect(failed > 1000, "\(failed)")
    }

    /// Lines whose errors come from Lua's instructions and from the objects of an exchange.
    private static let lines = [
        "return #named + named", "return named + 1", "return 1 + secret", "return secret + named",
        "return named .. 'x'", "return 'x' .. named", "return {} .. named", "return -named",
        "return ~named", "return named & 1", "return secret & 1", "return 1 << secret",
        "return named < named", "return named < 1", "return 1 < named", "return secret < named",
        "return named()", "return secret()", "return named.x.y", "return list.x.y",
        "return object[secret].y.z", "return ({})[secret].y", "local f <close> = named",
        "for i = named, 1 do end", "for i = 1, named do end", "for i = 1, 2, named do end",
        "for i = 1, secret do end", "for k in named do end", "return #thread", "list[nil] = 1",
        "list[0/0] = secret", "next(list, secret)", "return _ENV[secret].x", "return ex[secret]",
        "ex[secret] = 1", "return ex.request[secret]", "ex.request[secret] = 1",
        "return ex.timing[secret]", "ex.timing[secret] = 1", "return ex.request.headers[named]",
        "ex.request.headers[secret .. '\\n'] = 1", "ex.request.headers.a = secret .. '\\n'",
        "ex.request.headers.a = named", "ex.request.headers[named] = 1", "ex.tags.a = named",
        "ex.tags[named] = 1", "ex.vars.a = named", "ex.request.query.a = named",
        "return ex.request.query[named]", "ex.request.cookies[secret .. ';'] = 1",
        "ex.request.cookies.a = named", "ex.request.cookies.a = secret .. '\\n'",
        "ex.request.url = secret", "ex.request.url = named", "ex.request.host = secret .. '/'",
        "ex.request.port = secret", "ex.request.scheme = secret", "ex.request.path = secret",
        "ex.request.method = secret .. ' '", "ex.request.json = {[named] = 1}",
        "ex.request.json = {named, thread}", "ex.request.json = {secret, [secret] = 1}",
        "ex.request.body = named", "return named", "return delay(secret)",
        "return respond{[secret] = 1}", "drop(secret)",
        "return ex.request.headers.get(secret)", "return ex.request.json(named)",
        "getmetatable(named).__index = secret return named.x.y",
        "getmetatable(named).__tostring = function() return {} end log(named)",
        "getmetatable(named).__pairs = secret for _ in pairs(named) do end",
        "getmetatable(named).__len = function() return secret end table.concat(named)",
        "local c = coroutine.wrap(function() return named + 1 end) c()",
        "local c = coroutine.wrap(function() local x <close> = setmetatable({}, "
            + "{__close = function() pcall(error) end}) error(secret) end) c()",
        "local x <close> = setmetatable({}, {__close = function() pcall(error) end}) error(secret)",
        "local x <close> = setmetatable({}, {__close = function() error(secret) end})",
        "xpcall(error, function() pcall(error) end) error(secret)",
        "error(named)", "error(list)", "assert(false, secret)", "assert(nil, named)",
    ]

    @Test(arguments: secrets)
    func valuesAreNotShown(secret: String) throws {
        for line in Self.lines {
            let bench = try Bench(
                "function request(ex)\n" + Self.script(secret, line) + "\nend"
            )
            var exchange = Exchange.sample
            let error = #expect(throws: ScriptError.self, "\(line)") {
                try bench.run("request", &exchange)
            }
            #expect(error?.description.contains("s3cret") == false, "\(line): \(error as Any)")
            #expect(bench.log.allSatisfy { !$0.contains("s3cret") }, "\(line): \(bench.log)")
        }
    }

    /// Messages that scripts catch are also sanitized, because scripts log them.
    @Test(arguments: [
        "pcall(function() return named + 1 end)", "pcall(function() return named < 1 end)",
        "pcall(string.rep, named)", "pcall(hash.sha256, 'x', secret)",
        "xpcall(function() return named() end, function(e) return e end)",
        "coroutine.resume(coroutine.create(function() return #thread .. named end))",
    ])
    func caughtMessagesAreSanitized(call: String) throws {
        for secret in Self.secrets {
            let log = try Bench.log(Self.script(secret, "log(\(call))"))
            #expect(log.count == 1)
            #expect(log[0].hasPrefix("false "))
            #expect(!log[0].contains("s3cret"), "\(log[0])")
        }
    }

    /// A script gets errors that it raised itself unchanged.
    @Test func errorsOfTheScriptAreUnchanged() throws {
        let log = try Bench.log(
            """
            log(pcall(error, "my text", 0)) log(select(2, pcall(error, {code = 7})).code)
            log(select(2, pcall(error, "got x value")))
            log(coroutine.resume(coroutine.create(function() error("own 'text'", 0) end)))
            """
        )
        #expect(log == ["false my text", "7", "got x value", "false own 'text'"])
    }

    @Test func namesInTheTextAreShown() throws {
        let cases = [
            ("local cart cart.x = 1", "attempt to index a nil value (local 'cart')"),
            ("return ex.tags.cart.x", "attempt to index a nil value (field 'cart')"),
            ("ex:missing()", "unknown field of ex"),
            ("hash.sha256('x', 'y')", "form is invalid; expected hex, raw, base64 or base64url"),
            ("('x'):rep({})", "bad argument #1 to 'rep' (number expected, got table)"),
            ("return 1 < 'x'", "attempt to compare number with string"),
            ("return {} < {}", "attempt to compare two table values"),
            ("return {} .. 'x'", "attempt to concatenate a table value"),
        ]
        for (line, message) in cases {
            let found = Bench.failure(line)?.message
            #expect(found?.hasPrefix(message) == true, "\(line): \(found ?? "nothing")")
        }
    }

    @Test(arguments: [
        "log({}, print, ex, thread, respond{status = 200})",
        "log(tostring({}), tostring(print), tostring(ex.tags), tostring(thread), json.null)",
        "log(('%s %s %-20s'):format({}, print, ex), ('%%%s'):format({}))",
        "log(('%p %s'):format({}, {}), ('%p'):format('x'), ('%20p|%-20p'):format(print, ex))",
        "log(string.format('%s %d %s', print, 5, {}), #tostring(print))",
        "log(math.randomseed())", "log(pcall(error, {}))", "print({}, print)",
        "log.error({}) log.warn(print) log.debug(ex)",
    ])
    func addressesAreNotShown(line: String) throws {
        let bench = try Bench(
            """
            function request(ex)
              local thread = coroutine.create(print)
              pcall(function() \(line) end)
            end
            """,
            seed: 7
        )
        var exchange = Exchange.sample
        _ = try? bench.run("request", &exchange)
        #expect(!bench.log.isEmpty)
        for entry in bench.log {
            #expect(!entry.contains("0x"), "\(entry)")
            // The range of addresses of the heap and the program.
            let numbers = entry.split { !$0.isNumber }.compactMap { UInt64($0) }
            #expect(!numbers.contains { (1 << 40..<1 << 48).contains($0) }, "\(entry)")
        }
    }

    @Test func objectsAreWrittenAsTheirTypes() throws {
        let log = try Bench.log(
            """
            log({}, print, ex, coroutine.create(print), 1, 1.5, "x", nil, true)
            log(setmetatable({}, {__tostring = function() return "own" end}))
            log(("%s|%5s|%-6s|"):format({}, 1, print), ("%s"):format(nil))
            """
        )
        #expect(log[0] == "table function userdata thread 1 1.5 x nil true")
        #expect(log[1...] == ["own", "table|    1|function| nil"])
    }

    @Test(arguments: [
        ("x = = 's3cret'", "unexpected symbol near '='"), ("x = 's3cret' 's3cret'", "a string"),
        ("x = 's3cret", "unfinished string"), ("x = 's3cret\\q'", "invalid escape sequence"),
        ("x = [[s3cret", "unfinished long string"),
        ("x = 1 's3cret'", "near a string"),
        ("x = 4111111111 4111111111", "near a number"),
    ])
    func textsInASyntaxErrorAreNotShown(code: String, message: String) {
        let error = #expect(throws: ScriptError.self) { _ = try Bench(code) }
        #expect(error?.code == .syntax)
        #expect(error?.description.contains(message) == true, "\(error as Any)")
        #expect(error?.description.contains("s3cret") == false)
        #expect(error?.description.contains("41111") == false)
    }
}
