// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineControl

@Suite("Metrics as text")
struct MetricsTextTests {
    private func text(_ form: MetricsText.Form, _ write: (inout MetricsText) -> Void) -> String {
        var text = MetricsText(form)
        write(&text)
        text.finish()
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test(
        "are named as each form wants them",
        arguments: [
            (
                MetricsText.Form.prometheus,
                "# HELP a_bytes_total Some.\n# TYPE a_bytes_total counter\na_bytes_total{id=\"x\"} 7\n"
                    + "# HELP b_info Info.\n# TYPE b_info gauge\nb_info 1\n"
            ),
            (
                .openMetrics,
                "# HELP a_bytes Some.\n# TYPE a_bytes counter\n# UNIT a_bytes bytes\n"
                    + "a_bytes_total{id=\"x\"} 7\n# HELP b Info.\n# TYPE b info\nb_info 1\n# EOF\n"
            ),
        ]
    )
    func names(form: MetricsText.Form, expected: String) {
        let found = text(form) { text in
            text.family("a_bytes", .counter, unit: "bytes", "Some.")
            text.sample([("id", "x")], 7)
            text.family("b", .info, "Info.")
            text.sample([], 1)
        }
        #expect(found == expected)
    }

    @Test(
        "have escaped values",
        arguments: [
            ("plain", "plain"), ("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"),
            ("é", "é"),
        ]
    )
    func escapes(value: String, written: String) {
        let found = text(.prometheus) { text in
            text.family("a", .gauge, "A.")
            text.sample([("id", value)], 1)
        }
        #expect(found.hasSuffix("a{id=\"\(written)\"} 1\n"))
    }

    @Test(
        "have seconds without an exponent",
        arguments: [
            (0, "0.0"), (1, "0.000001"), (1_500_000, "1.5"), (-250_000, "-0.25"),
            (Int64.min, "-9223372036854.775808"),
        ] as [(Int64, String)]
    )
    func seconds(value: Int64, written: String) {
        let found = text(.prometheus) { text in
            text.family("a_seconds", .gauge, unit: "seconds", "A.")
            text.sample(millionths: value)
        }
        #expect(found.hasSuffix("a_seconds \(written)\n"))
    }

    @Test("have buckets that grow up to the count")
    func histogram() {
        let found = text(.openMetrics) { text in
            text.family("t_seconds", .histogram, unit: "seconds", "T.")
            text.histogram(
                [("id", "x")],
                bounds: [1_000_000, 2_000_000_000],
                counts: [1, 3],
                count: 4,
                total: 5_000_000_000
            )
        }
        #expect(
            found.hasSuffix(
                "t_seconds_bucket{id=\"x\",le=\"0.001\"} 1\nt_seconds_bucket{id=\"x\",le=\"2.0\"} 3\n"
                    + "t_seconds_bucket{id=\"x\",le=\"+Inf\"} 4\nt_seconds_count{id=\"x\"} 4\n"
                    + "t_seconds_sum{id=\"x\"} 5.0\n# EOF\n"
            )
        )
    }

    @Test(
        "have the form that a client accepts",
        arguments: [
            (nil, MetricsText.Form.prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
            ("application/openmetrics-text; version=1.0.0", .openMetrics),
            (
                "application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5",
                .openMetrics
            ),
            ("application/openmetrics-text;q=0,text/plain", .prometheus),
        ] as [(String?, MetricsText.Form)]
    )
    func accept(field: String?, form: MetricsText.Form) {
        #expect(MetricsText.Form(accept: field) == form)
    }
}
