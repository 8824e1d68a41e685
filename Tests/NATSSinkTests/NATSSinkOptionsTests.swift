// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNATS
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@Suite("The options of the sink nats")
struct NATSOptionsTests {
    @Test(
        "say what is wrong, without secrets",
        arguments: [
            ("servers: 'nats://me:hunter2@a'", "must not contain a user"),
            ("servers: 'http://a'", "unknown scheme"), ("servers: []", "empty"),
            ("servers: 'a b'", "not a server"), ("servers: a, stream: 'a.b'", "not the name"),
            ("servers: a, user: me", "'user' needs 'password'"),
            ("servers: a, password: hunter2", "'password' needs 'user'"),
            ("servers: a, token: hunter2, user: me, password: hunter2", "exclude each other"),
            ("servers: a, credentials: none.creds", "there is no file"),
            ("servers: a, timeout: 1ms", "'timeout' is too short"),
            ("servers: a, tls: { authorities: none.pem }", "none.pem"),
        ]
    )
    func shared(options: String, problem: String) {
        let text = options.contains("stream") ? "{ \(options) }" : "{ \(options), stream: T }"
        let (sink, problems) = buildSink(text)
        #expect(sink == nil && problems.contains(problem), "\(problems)")
        #expect(!problems.contains("hunter2"))
    }

    @Test("of its own say what is wrong")
    func own() {
        let sink = buildSink("{ servers: a, stream: T, subject: 'a.{path}' }").1
        #expect(sink.contains("unknown field 'path'"))
        let short = buildSink("{ servers: a, stream: T, create: { duplicate_window: 1ms } }").1
        #expect(short.contains("'duplicate_window' is too short"))
    }
}
