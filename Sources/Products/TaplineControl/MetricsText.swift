// SPDX-License-Identifier: MIT

/// Writes metrics as text, for Prometheus (0.0.4) or OpenMetrics (1.0).
///
/// Pure: values in, bytes out. A family is begun once; its samples follow.
///
/// **Isolation**: one thread at a time.
///
/// **Source**: https://prometheus.io/docs/instrumenting/exposition_formats/,
/// https://github.com/OpenObservability/OpenMetrics (specification 1.0.0).
struct MetricsText {
    /// The two forms, which differ in the names of counters and in the end.
    enum Form: Sendable, CaseIterable {
        case prometheus
        case openMetrics

        /// The value of Content-Type.
        var type: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }

        /// Returns the form that a client accepts; Prometheus asks for OpenMetrics first.
        init(accept: String?) {
            let wanted = accept?.split(separator: ",").first {
                $0.contains("application/openmetrics-text") && !$0.contains("q=0;")
                    && !$0.hasSuffix("q=0")
            }
            self = wanted == nil ? .prometheus : .openMetrics
        }
    }

    /// What a family counts or measures.
    enum Kind: String {
        case counter
        case gauge
        case histogram
        case info
    }

    /// A label and its value.
    typealias Label = (name: StaticString, value: String)

    private let form: Form
    private(set) var bytes: [UInt8] = []
    private var name: StaticString = ""
    private var kind = Kind.gauge

    /// Creates an empty text.
    init(_ form: Form) { self.form = form }

    /// Begins a family.
    ///
    /// - Parameters:
    ///   - name: The name with its unit, without `_total`.
    ///   - kind: What it is.
    ///   - unit: The unit that the name ends with; `nil` if it has none.
    ///   - help: One sentence.
    mutating func family(
        _ name: StaticString,
        _ kind: Kind,
        unit: String? = nil,
        _ help: String
    ) {
        self.name = name
        self.kind = kind
        line("# HELP ", help: help)
        line("# TYPE ", form == .prometheus && kind == .info ? "gauge" : kind.rawValue)
        if form == .openMetrics, let unit { line("# UNIT ", unit) }
    }

    /// Writes a sample of the family.
    mutating func sample(_ labels: [Label], _ value: Int) { sample(labels) { $0.put(value) } }

    /// Writes a sample of the family that is not a whole number.
    mutating func sample(_ labels: [Label] = [], millionths value: Int64) {
        sample(labels) { $0.put(millionths: value) }
    }

    /// Writes a histogram of durations.
    ///
    /// - Parameters:
    ///   - labels: The labels of all its samples.
    ///   - bounds: The upper bounds of the buckets, in nanoseconds, in ascending order.
    ///   - counts: How many durations are at most as long as each bound.
    ///   - count: How many there are.
    ///   - total: Their sum, in nanoseconds.
    mutating func histogram(
        _ labels: [Label],
        bounds: [Int],
        counts: [Int],
        count: Int,
        total: Int
    ) {
        for (bound, count) in zip(bounds, counts) {
            begin("_bucket", labels, le: bound)
            put(count)
            bytes.append(.newline)
        }
        begin("_bucket", labels, le: .max)
        put(count)
        bytes.append(.newline)
        begin("_count", labels)
        put(count)
        bytes.append(.newline)
        begin("_sum", labels)
        put(millionths: Int64(total / 1000))
        bytes.append(.newline)
    }

    /// Writes the end; OpenMetrics requires it.
    mutating func finish() { if form == .openMetrics { put("# EOF\n") } }

    private mutating func sample(_ labels: [Label], _ value: (inout MetricsText) -> Void) {
        switch kind {
        case .counter: begin("_total", labels)
        case .info: begin("_info", labels)
        case .gauge, .histogram: begin("", labels)
        }
        value(&self)
        bytes.append(.newline)
    }

    // MARK: Parts of lines

    /// The name in a line of metadata: Prometheus names a counter as its samples.
    private mutating func putFamilyName() {
        put(name)
        guard form == .prometheus else { return }
        if kind == .counter { put("_total") }
        if kind == .info { put("_info") }
    }

    private mutating func line(_ start: StaticString, _ text: String) {
        put(start)
        putFamilyName()
        bytes.append(.space)
        bytes += Array(text.utf8)
        bytes.append(.newline)
    }

    private mutating func line(_ start: StaticString, help: String) {
        put(start)
        putFamilyName()
        bytes.append(.space)
        escape(help, quotes: form == .openMetrics)
        bytes.append(.newline)
    }

    /// Writes the name and the labels of a sample, and the space before its value.
    private mutating func begin(_ suffix: StaticString, _ labels: [Label], le bound: Int? = nil) {
        put(name)
        put(suffix)
        if !labels.isEmpty || bound != nil {
            bytes.append(UInt8(ascii: "{"))
            for (index, label) in labels.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                put(label.name)
                put("=\"")
                escape(label.value, quotes: true)
                put("\"")
            }
            if let bound {
                if !labels.isEmpty { bytes.append(UInt8(ascii: ",")) }
                put("le=\"")
                if bound == .max { put("+Inf") } else { put(bound: bound) }
                put("\"")
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(.space)
    }

    /// Escapes a backslash, a line feed and, if asked for, quotation marks.
    private mutating func escape(_ text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): put("\\\\")
            case .newline: put("\\n")
            case UInt8(ascii: "\"") where quotes: put("\\\"")
            default: bytes.append(byte)
            }
        }
    }

    private mutating func put(_ text: StaticString) {
        bytes += Array(text.description.utf8)
    }

    private mutating func put(_ number: Int) { bytes += Array(String(number).utf8) }

    /// Writes microseconds as seconds, without trailing zeros but with one digit after the point, as
    /// OpenMetrics wants numbers that are not whole.
    private mutating func put(millionths: Int64) {
        if millionths < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, part) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        bytes += Array(String(whole).utf8)
        bytes.append(UInt8(ascii: "."))
        var digits = Array(String(1_000_000 + part).utf8.dropFirst())
        while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        bytes += digits
    }

    /// Writes a bound of a bucket, which is a whole number of microseconds.
    private mutating func put(bound: Int) { put(millionths: Int64(bound / 1000)) }
}

extension UInt8 {
    fileprivate static let newline: UInt8 = 0x0A
    fileprivate static let space: UInt8 = 0x20
}
