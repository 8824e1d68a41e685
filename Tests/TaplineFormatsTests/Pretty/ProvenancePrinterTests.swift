// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineFormats

@Suite("What stages did, for people")
struct ProvenancePrinterTests {
    private func text(_ exchange: Exchange) -> String {
        var written: [UInt8] = []
        var lines = PrettyText(isColoured: false) { bytes in
            written += bytes
            return true
        }
        ProvenancePrinter.write(exchange, to: &lines)
        return String(decoding: written, as: UTF8.self)
    }

    private func example(_ steps: [ProvenanceStep]) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0x0193_1234_5678_7abc, low: 0x8def_0123_4567_89ab),
            started: Timestamp(microseconds: 1_795_183_380_123_456),
            request: Request(
                method: "POST",
                target: "/cart",
                authority: "shop.test",
                fields: ["X-Team": "a", "x-team": "b"]
            ),
            response: Response(status: 201, reason: "Created")
        )
        exchange.tags["slow"] = "yes"
        var extra = ExchangeExtra()
        extra.provenance = steps
        exchange.extra = extra
        return exchange
    }

    private static let steps = [
        ProvenanceStep(
            stage: "lua",
            hook: "request",
            verdict: "proceed",
            duration: Microseconds(12),
            delay: Microseconds(5000),
            changes: [
                ProvenanceChange(part: "request.header", name: "X-Team", kind: "set"),
                ProvenanceChange(part: "request.header", name: "X-Old", kind: "removed"),
                ProvenanceChange(part: "tag", name: "slow", kind: "changed"),
                ProvenanceChange(part: "tag", kind: "removed", count: 2),
                ProvenanceChange(part: "var", name: "seen", kind: "set"),
            ],
            details: [ProvenanceDetail(name: "rule", value: "checkout")]
        ),
        ProvenanceStep(stage: "rules", hook: "request", skipped: "when"),
        ProvenanceStep(stage: "lua", hook: "response", skipped: "not_asked"),
        ProvenanceStep(
            stage: "lua",
            hook: "message",
            verdict: "pass",
            calls: 3,
            duration: Microseconds(1400)
        ),
        ProvenanceStep(
            stage: "limit_body",
            hook: "record",
            verdict: "keep",
            changes: [
                ProvenanceChange(
                    part: "response.body",
                    kind: "changed",
                    before: 2048,
                    after: 64
                )
            ]
        ),
    ]

    @Test("has a line for each step, with its changes and details below")
    func steps() {
        #expect(
            text(example(Self.steps)) == """
                exchange    01931234-5678-7abc-8def-0123456789ab
                started     2026-11-20T14:03:00.123456Z
                request     POST http://shop.test/cart HTTP/1.1
                response    HTTP/1.1 201 Created

                stage       hook      result
                lua         request   proceed, delay 5.0 ms, took 12 µs
                            set request.header X-Team, now a, b
                            removed request.header X-Old
                            changed tag slow, now yes
                            removed 2 of tag
                            set var seen
                            rule: checkout
                rules       request   not matched by 'when'
                lua         response  not reached
                lua         message   pass, 3 times, took 1.4 ms
                limit_body  record    keep
                            changed response.body (2.0 KiB to 64 B)

                """
        )
    }

    @Test(
        "says how paused exchanges went on, and how long they waited",
        arguments: [
            ("resumed", "resumed unchanged"), ("changed", "changed by hand"),
            ("answered", "answered by hand"), ("aborted", "aborted by hand"),
            ("timeout", "passed, since nobody decided in time"),
            ("unattended", "passed, since nobody could decide"),
            ("ended", "ended while it waited"), ("later", "later"),
        ]
    )
    func decisions(decision: String, words: String) {
        let step = ProvenanceStep(
            stage: "rules",
            hook: "request",
            verdict: "proceed",
            decision: decision,
            waited: Microseconds(2_500_000),
            changes: [ProvenanceChange(part: "request.header", name: "X-Team", kind: "changed")]
        )
        let shown = text(example([step]))
        #expect(shown.contains("\nrules       request   \(words), waited 2.50 s\n"), "\(shown)")
        #expect(shown.hasSuffix("changed request.header X-Team, now a, b\n"))
    }

    @Test("shows failures, and an exchange without a response")
    func failures() {
        var exchange = example([
            ProvenanceStep(
                stage: "a-stage-with-a-long-id",
                hook: "request",
                verdict: "abort",
                isFailed: true
            )
        ])
        exchange.response = nil
        exchange.error = ExchangeError(code: "aborted", message: "aborted by stage")
        let shown = text(exchange)
        #expect(shown.contains("\nerror       aborted: aborted by stage\n"))
        #expect(shown.hasSuffix("\na-stage-with-a-long-id  request   failed, then abort\n"))
    }

    @Test("shows nothing from a recording unescaped")
    func escapes() {
        let evil = "\u{1B}[31m\n"
        var step = ProvenanceStep(
            stage: evil,
            hook: evil,
            verdict: evil,
            changes: [ProvenanceChange(part: evil, name: evil, kind: evil)],
            details: [ProvenanceDetail(name: evil, value: evil)]
        )
        let exchange = example([step])
        #expect(!text(exchange).contains("\u{1B}"))
        #expect(!pretty(exchange).contains("\u{1B}"))
        step.skipped = evil
        #expect(!text(example([step])).contains("\u{1B}"))
    }

    @Test("has the present values of what was changed")
    func values() {
        let exchange = fullExchange()
        let values = [
            ("method", ""), ("url", ""), ("status", ""), ("request.header", "x-a"),
            ("response.header", "content-type"), ("response.trailer", "server-timing"),
            ("tag", "team"), ("state", ""), ("error", ""), ("request.header", "none"),
            ("request.body", ""), ("else", ""),
        ].map { part, name in
            exchange.value(of: ProvenanceChange(part: part, name: name, kind: "set"))
        }
        #expect(
            values == [
                "POST", "https://shop.test:8443/cart?x=1", "503", "1, 2", "image/png",
                "db;dur=1", "checkout", "failed", "reset", nil, nil, nil,
            ]
        )
    }
}
