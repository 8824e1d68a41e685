// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// The results of the libraries for the test vectors of their specifications.
@Suite struct LibraryTests {
    /// RFC 4648 §10, both alphabets, and texts that are not base64.
    @Test(arguments: [
        ("base64.encode('')", ""), ("base64.encode('f')", "Zg=="), ("base64.encode('fo')", "Zm8="),
        ("base64.encode('foo')", "Zm9v"), ("base64.encode('foob')", "Zm9vYg=="),
        ("base64.encode('fooba')", "Zm9vYmE="), ("base64.encode('foobar')", "Zm9vYmFy"),
        ("base64.encode('\\255\\254')", "//4="), ("base64.encode_url('\\255\\254')", "__4"),
        ("base64.encode_url('\\255\\254', true)", "__4="), ("base64.decode('Zm9vYmFy')", "foobar"),
        ("base64.decode('Zg')", "f"), ("base64.decode('Zg==')", "f"), ("base64.decode('')", ""),
        ("base64.decode('__4')", "\u{FFFD}\u{FFFD}"),
        ("(base64.decode('Z'))", "nil"), ("(base64.decode('Zg='))", "nil"),
        ("(base64.decode('Zg==='))", "nil"), ("(base64.decode('Z g='))", "nil"),
        ("(base64.decode('='))", "nil"), ("(base64.decode('Zm9v='))", "nil"),
        ("base64.decode(base64.encode(('x'):rep(1000))) == ('x'):rep(1000)", "true"),
    ])
    func base64FollowsItsVectors(expression: String, expected: String) throws {
        #expect(try Bench.log("log(\(expression))") == [expected])
    }

    /// RFC 1321 §A.5, FIPS 180-4, RFC 4231 §4.3 and RFC 2202 §3.
    @Test(arguments: [
        ("hash.md5('')", "d41d8cd98f00b204e9800998ecf8427e"),
        ("hash.sha1('abc')", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "hash.sha256('abc')",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ),
        ("hash.sha384('abc'):sub(1, 16)", "cb00753f45a35e8b"),
        ("hash.sha512('abc'):sub(1, 16)", "ddaf35a193617aba"),
        (
            "hash.hmac_sha256('Jefe', 'what do ya want for nothing?')",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            "hash.hmac_sha1('Jefe', 'what do ya want for nothing?')",
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        ("hash.hmac_sha512('Jefe', 'what do ya want for nothing?'):sub(1, 16)", "164b7a7bfcf819e2"),
        ("hash.hmac_sha384('Jefe', 'what do ya want for nothing?'):sub(1, 16)", "af45d2e376484031"),
        ("hash.hmac_sha256('', '', 'base64url')", "thNnmggU2ex3L5XXeMNfxf8Wl8STcVZTxscSFEKSxa0"),
        ("#hash.sha256('', 'raw')", "32"), ("hash.equal('', '')", "true"),
        ("hash.equal('a', 'ab')", "false"), ("(pcall(hash.sha256, 'a', 'hexa'))", "false"),
        ("(pcall(hash.hmac_sha256, ('k'):rep(2 << 20), ''))", "false"),
    ])
    func hashesFollowTheirVectors(expression: String, expected: String) throws {
        #expect(try Bench.log("log(\(expression))") == [expected])
    }

    /// RFC 3986 §5.4.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
        (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ])
    func joinsReferences(reference: String, expected: String) throws {
        #expect(try Bench.log("log(url.join('http://a/b/c/d;p?q', '\(reference)'))") == [expected])
    }

    @Test(arguments: [
        ("url.parse('http://h:0x1/').port", "nil"), ("url.parse('http://h:0x1/').host", "h"),
        ("url.parse('http://[::1]:8080/').host", "[::1]"), ("url.parse('/a?b').path", "/a"),
        ("url.parse('/a?b').host", "nil"), ("url.parse('').path", ""),
        ("url.parse('a:b').scheme", "a"),
        ("url.build{host = 'a', scheme = 'http', port = 80, path = '/'}", "http://a/"),
        ("url.build{path = 'a b'}", "error"), ("url.build{port = 1}", "error"),
        ("url.build{hots = 'a'}", "error"), ("url.build{host = 'a', path = 'b'}", "error"),
        ("url.decode('%4')", "%4"), ("url.decode('%zz+%41')", "%zz+A"), ("url.encode(1.5)", "1.5"),
        ("url.build_query{}", ""), ("#url.parse_query('&&')", "0"), ("url.build_query{1}", "error"),
        ("url.join('/a', 'b')", "error"),
    ])
    func urlsAreParsedAndBuilt(expression: String, expected: String) throws {
        guard expected != "error" else {
            #expect(Bench.failure("log(\(expression))")?.code == .fault)
            return
        }
        #expect(try Bench.log("log(\(expression))") == [expected])
    }

    @Test(arguments: [
        ("re.match('aXb', '[A-Z]')", "X"), ("re.match('ab', '(x)?b')", "false"),
        ("re.find('aéb', 'b')", "4 4"), ("re.find('abc', '', 4)", "4 3"),
        ("re.find('abc', 'a', 5)", "nil"),
        ("re.find('aXa', 'a', -1)", "3 3"), ("re.find('abc', '^b', 2)", "nil"),
        ("re.gsub('abc', '', '-')", "-a-b-c- 4"), ("re.gsub('é', '', '-')", "-é- 2"),
        ("re.gsub('aaa', 'a*', 'x')", "x 1"), ("re.gsub('hello', 'l', '%%')", "he%%o 2"),
        ("re.gsub('ab', '(a)(b)', '%2%1')", "ba 1"), ("re.gsub('ab', 'a', '%2')", "error"),
        ("re.gsub('ab', 'a', '%')", "error"),
        ("re.gsub('ab', 'a', function() return {} end)", "error"),
        ("re.gsub('ab', 'a', function() end)", "ab 1"), ("re.gsub('ab', 'b', {})", "ab 1"),
        ("re.gsub('aa', 'a', 'b', 0)", "aa 0"), ("re.match('a\\0b', 'a.b') == 'a\\0b'", "true"),
        ("re.match('a.b', re.quote('a.b'))", "a.b"), ("re.match('é+', re.quote('é+'))", "é+"),
        ("re.match('\\255', '.')", "nil"), ("re.match('x', 'a(')", "error"),
        ("re.match('x', '(?P<n>')", "error"), ("re.match('x', ('x'):rep(5000))", "error"),
        ("re.match('x', 1)", "error"), ("re.match(1, 'x')", "error"),
        ("re.captures('ab', '(?P<x>a)').x", "a"), ("re.captures('b', 'a')", "nil"),
        ("#re.captures('x', ('()'):rep(50) .. 'x')", "31"),
    ])
    func regularExpressionsMatch(expression: String, expected: String) throws {
        guard expected != "error" else {
            #expect(Bench.failure("log(\(expression))")?.code == .fault)
            return
        }
        #expect(try Bench.log("log(\(expression))") == [expected])
    }

    /// An iteration and a replacement continue after the compiled form of their pattern is evicted.
    @Test func patternsInUseMayBeEvicted() throws {
        let lines = try Bench.log(
            """
            local all = re.gmatch("a b c", "\\\\w")
            for i = 1, 100 do re.match("x", "y" .. i) end
            log(all(), all(), all(), all())
            log(re.gsub("aa", "(a)", function(a) for i = 1, 100 do re.match("x", "z" .. i) end return a:upper() end))
            """
        )
        #expect(lines == ["a b c", "AA 2"])
    }

    @Test(arguments: [
        ("time.parse('1970-01-01T00:00:00Z')", "0.0"),
        ("time.parse('2024-02-29t12:00:00z')", "1709208000.0"),
        ("time.parse('2000-01-01 00:00:00.123456789-01:30')", "946690200.12346"),
        ("(time.parse('2023-02-29T00:00:00Z'))", "nil"),
        ("(time.parse('2023-01-01T24:00:00Z'))", "nil"),
        ("(time.parse('2023-01-01T00:00:00'))", "nil"),
        ("(time.parse('2023-01-01T00:00:00.Z'))", "nil"),
        ("(time.parse('2023-01-01T00:00:00+99:00'))", "nil"), ("(time.parse(''))", "nil"),
        ("(time.parse('Sun, 32 Nov 1994 08:49:37 GMT'))", "nil"),
        ("(time.parse('Sun, 06 Nov 1994 08:49:37 UTC'))", "nil"),
        ("time.parse('Sun, 06 Nov 1994 08:49:37 GMT')", "784111777.0"),
        ("time.http(784111777)", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("time.iso8601(0.5)", "1970-01-01T00:00:00.500Z"),
        ("time.iso8601(-0.000001)", "1969-12-31T23:59:59.999999Z"),
        ("time.iso8601(253402300799)", "9999-12-31T23:59:59Z"),
        ("time.iso8601(-62167219200)", "0000-01-01T00:00:00Z"),
        ("time.iso8601(1e12)", "error"), ("time.iso8601(0/0)", "error"),
        ("time.http('x')", "error"),
    ])
    func timesAreFormattedAndRead(expression: String, expected: String) throws {
        guard expected != "error" else {
            #expect(Bench.failure("log(\(expression))")?.code == .fault)
            return
        }
        #expect(try Bench.log("log(\(expression))") == [expected])
    }

    @Test func formattedTimesAreReadBack() throws {
        let lines = try Bench.log(
            """
            for seconds = -2e9, 4e9, 99999937 do
              if time.parse(time.iso8601(seconds)) ~= seconds then log(seconds) end
              if time.parse(time.http(seconds)) ~= seconds then log(seconds) end
            end
            """
        )
        #expect(lines == [])
    }

    @Test func identifiersDiffer() throws {
        let lines = try Bench.log(
            """
            local seen = {}
            for i = 1, 1000 do
              local id = i % 2 == 0 and uuid.v4() or uuid.v7()
              if seen[id] or #id ~= 36 or not id:find("^%x+%-%x+%-[47]%x+%-[89ab]%x+%-%x+$") then log(id) end
              seen[id] = true
            end
            """
        )
        #expect(lines == [])
    }

    /// The generator continues after a limit, so that no identifier is repeated.
    @Test func identifiersDifferAfterALimit() throws {
        let bench = try Bench(
            "function record(ex) log(uuid.v4()) while true do end end",
            limits: LuaLimits(instructions: 10_000),
            seed: 7
        )
        for _ in 0..<2 {
            var exchange = Exchange.sample
            #expect(throws: ScriptError.self) { try bench.run("record", &exchange) }
        }
        #expect(bench.log.count == 2)
        #expect(Set(bench.log).count == 2)
    }

    @Test(arguments: [
        "''", "'a'", "'a.b'", "'a.b.c'", "'..'", "'e30.e30.=='", "'e30.W10.'", "'e30.bnVsbA.'",
        "'e30.eyJhIjoxZTk5OX0.'", "'e30.e30.a.b.c'", "('e30.'):rep(100000)",
    ])
    func malformedTokensAreReported(token: String) throws {
        let lines = try Bench.log("local found, why = jwt.decode(\(token)) log(found, type(why))")
        #expect(lines == ["nil string"])
    }

    @Test(arguments: [
        "base64.decode", "hash.md5", "jwt.decode", "time.parse", "url.parse", "re.quote",
    ])
    func messagesNameWrongTypes(function: String) {
        let failure = Bench.failure("\(function)({})")
        #expect(failure?.message.contains("is a table; expected a string") == true)
    }
}
