// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineStatistics

/// What statistics use of an exchange other than its group.
struct StatsSample {
    /// When it began, in microseconds since 1970.
    var started: Int64
    /// Whether it failed, or the server reported an error of its own (RFC 9110 §15.6).
    var isError: Bool
    /// In microseconds; `nil` if it is unknown, or there was no response.
    var duration: Int64?
    /// The size of the request's body on the wire; `nil` if it is unknown.
    var requestSize: Int64?
    /// The size of the response's body on the wire; `nil` if it is unknown.
    var responseSize: Int64?
}

extension StatsSample {
    init(_ exchange: borrowing Exchange) {
        started = exchange.started.microseconds
        isError = exchange.state == .failed || exchange.response?.status ?? 0 >= 500
        if case .some = exchange.response { duration = exchange.timing.total?.count }
        requestSize = exchange.request.body.size.map { Int64($0) }
        responseSize = (exchange.response?.body.size).map { Int64($0) }
    }
}

/// The counts and measures of the exchanges of one group.
struct StatsGroup: Sendable {
    /// How many different values a breakdown has; the rest count as others.
    static let maxValues = 1000

    var count = 0
    var errors = 0
    var bytesUp = 0
    var bytesDown = 0
    /// When the exchange that began last did so, in microseconds since 1970.
    var last = Int64.min
    /// In nanoseconds.
    var times = Distribution()
    var requestSizes = Distribution()
    var responseSizes = Distribution()
    /// The counts of the values of each breakdown.
    var breakdowns: [[Int64: Int]]

    init(breakdowns: Int) { self.breakdowns = Array(repeating: [:], count: breakdowns) }

    mutating func add(_ sample: StatsSample) {
        count += 1
        last = max(last, sample.started)
        if sample.isError { errors += 1 }
        if let size = sample.requestSize, size > 0 {
            bytesUp = bytesUp.addingClamped(Int(clamping: size))
        }
        if let size = sample.responseSize, size > 0 {
            bytesDown = bytesDown.addingClamped(Int(clamping: size))
        }
        if let duration = sample.duration {
            times.add(Int(clamping: duration).multipliedClamped(by: 1000))
        }
    }

    mutating func addSizes(_ sample: StatsSample) {
        if let size = sample.requestSize { requestSizes.add(Int(clamping: size)) }
        if let size = sample.responseSize { responseSizes.add(Int(clamping: size)) }
    }

    mutating func count(_ code: Int64, _ number: Int = 1, in breakdown: Int) {
        let isFull = breakdowns[breakdown].count >= Self.maxValues
        let isKnown = !isFull || breakdowns[breakdown][code] != nil
        breakdowns[breakdown][isKnown ? code : StatsTable.others, default: 0] += number
    }

    /// Adds a group with the same codes, except those of breakdowns.
    mutating func merge(_ other: StatsGroup) {
        count += other.count
        last = max(last, other.last)
        errors += other.errors
        bytesUp = bytesUp.addingClamped(other.bytesUp)
        bytesDown = bytesDown.addingClamped(other.bytesDown)
        times.merge(other.times)
        requestSizes.merge(other.requestSizes)
        responseSizes.merge(other.responseSizes)
    }
}
