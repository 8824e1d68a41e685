// SPDX-License-Identifier: MIT

package import TaplineJSON
package import TaplineStatistics

extension JSONWriter {
    /// Writes the count and the quantiles of a distribution in nanoseconds.
    mutating func nanoseconds(_ times: Distribution) {
        distribution(
            times,
            [
                ("p50_ns", times.quantile(0.5)), ("p90_ns", times.quantile(0.9)),
                ("p99_ns", times.quantile(0.99)), ("p999_ns", times.quantile(0.999)),
                ("max_ns", times.maximum),
            ]
        ) { $0.integer($1) }
    }

    /// Writes the count and the quantiles of a distribution in microseconds, as milliseconds.
    package mutating func milliseconds(_ times: Distribution) {
        distribution(
            times,
            [("p50_ms", times.quantile(0.5)), ("p99_ms", times.quantile(0.99))]
        ) { $0.thousandths(Int64($1)) }
    }

    private mutating func distribution(
        _ times: Distribution,
        _ values: [(StaticString, Int)],
        _ write: (inout JSONWriter, Int) -> Void
    ) {
        object { json in
            json.member("count", times.count)
            for (name, value) in values {
                json.key(name)
                write(&json, value)
            }
        }
    }
}
