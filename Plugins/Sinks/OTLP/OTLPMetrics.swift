// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The durations of some exchanges, as a histogram for each set of attributes.
///
/// Each request has only the exchanges of one batch (delta temporality), so that the sink keeps no
/// state whose size depends on the traffic.
///
/// **Source**: OpenTelemetry Semantic Conventions 1.37, "HTTP metrics".
struct OTLPMetrics {
    /// The histogram of one set of attributes.
    ///
    /// **Units**: seconds; the times are nanoseconds since 1970.
    struct Point: Equatable {
        let attributes: [OTLPAttribute]
        var start = UInt64.max
        var end: UInt64 = 0
        var count: UInt64 = 0
        var sum = 0.0
        var least = Double.infinity
        var most = 0.0
        /// The counts of durations up to each bound, and above the last one.
        var buckets = [UInt64](repeating: 0, count: bounds.count + 1)
    }

    /// The upper bounds that the conventions recommend, in seconds.
    static let bounds = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]
    /// The attributes of spans that points have: those with few values.
    private static let names: Set<String> = [
        "http.request.method", "url.scheme", "server.address", "server.port",
        "network.protocol.version", "http.response.status_code", "error.type",
    ]

    private(set) var points: [Point] = []
    private var positions: [[OTLPAttribute]: Int] = [:]
    private let kind: OTLPKind

    /// The name of the metric.
    var name: String {
        kind == .client ? "http.client.request.duration" : "http.server.request.duration"
    }

    init(_ kind: OTLPKind) { self.kind = kind }

    /// Adds an exchange, if its duration is known.
    mutating func add(_ span: OTLPSpan) {
        guard let duration = span.duration else { return }
        let attributes = span.attributes.filter { Self.names.contains($0.name) }
        let position = positions[attributes] ?? points.count
        if position == points.count {
            points.append(Point(attributes: attributes))
            positions[attributes] = position
        }
        points[position].add(duration, span)
    }
}

extension OTLPMetrics.Point {
    fileprivate mutating func add(_ duration: Double, _ span: OTLPSpan) {
        start = min(start, span.start)
        end = max(end, span.end)
        count &+= 1
        sum += duration
        least = min(least, duration)
        most = max(most, duration)
        buckets[OTLPMetrics.bounds.firstIndex { duration <= $0 } ?? buckets.count - 1] &+= 1
    }
}

// The numbers of the fields are those of `metrics.proto`.
extension ProtobufWriter {
    /// Writes the histograms as a field of `ScopeMetrics`.
    mutating func metrics(_ metrics: OTLPMetrics) {
        message(2) { writer in
            writer.string(1, metrics.name)
            writer.string(3, "s")
            writer.message(9) { writer in
                for point in metrics.points { writer.message(1) { $0.point(point) } }
                writer.number(2, 1)
            }
        }
    }

    private mutating func point(_ point: OTLPMetrics.Point) {
        fixed64(2, point.start)
        fixed64(3, point.end)
        fixed64(4, point.count)
        fixed64(5, point.sum.bitPattern)
        packed(6, point.buckets)
        packed(7, OTLPMetrics.bounds.map(\.bitPattern))
        attributes(9, point.attributes)
        fixed64(11, point.least.bitPattern)
        fixed64(12, point.most.bitPattern)
    }
}

extension JSONWriter {
    /// Writes the histograms.
    mutating func metrics(_ metrics: OTLPMetrics) {
        object { json in
            json.member("name", metrics.name)
            json.member("unit", "s")
            json.key("histogram")
            json.object { json in
                json.key("dataPoints")
                json.array { json in for point in metrics.points { json.point(point) } }
                json.member("aggregationTemporality", 1)
            }
        }
    }

    private mutating func point(_ point: OTLPMetrics.Point) {
        object { json in
            json.attributes(point.attributes)
            json.member("startTimeUnixNano", "\(point.start)")
            json.member("timeUnixNano", "\(point.end)")
            json.member("count", "\(point.count)")
            json.key("sum")
            json.double(point.sum)
            json.key("bucketCounts")
            json.array { json in for count in point.buckets { json.string("\(count)") } }
            json.key("explicitBounds")
            json.array { json in for bound in OTLPMetrics.bounds { json.double(bound) } }
            json.key("min")
            json.double(point.least)
            json.key("max")
            json.double(point.most)
        }
    }
}
