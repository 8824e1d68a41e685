// SPDX-License-Identifier: MIT

/// When each request of a replay is due.
///
/// A pure function of the options and the recording: it does not depend on what the target does, so
/// that errors of timers do not add up.
///
/// **Units**: microseconds since the first request was due; requests are numbered from 0.
struct ReplaySchedule: Sendable, Equatable {
    /// How due times are computed.
    enum Pace: Sendable, Equatable {
        /// Each request is due as soon as the bound of requests in flight allows.
        case max
        /// A constant number of requests a second.
        case constant(Double)
        /// A number of requests a second that changes evenly during a time, then stays.
        case ramp(from: Double, to: Double, over: Double)
        /// The recorded spacing, divided by a factor.
        case recorded(Double)
    }

    let pace: Pace
    /// The time after which no request is due any more; `nil` for no limit.
    var length: Int64?

    init(_ pace: Pace, length: Int64? = nil) {
        self.pace = pace
        self.length = length
    }

    /// Times beyond any run, which fit into an `Int64` with room for sums.
    private static let limit = 4e15

    /// Returns when a request is due; `nil` if it has no time of its own.
    ///
    /// - Parameters:
    ///   - number: The number of the request.
    ///   - offset: When it began in the recording, since the first request.
    /// - Returns: The time.
    func due(_ number: Int, offset: Int64) -> Int64? {
        let count = Double(Swift.max(number, 0))
        switch pace {
        case .max: return nil
        case .constant(let rate): return Self.time(count / rate * 1e6)
        case .ramp(let from, let to, let over):
            return Self.time(Self.rampTime(count, from, to, over) * 1e6)
        case .recorded(let factor): return Self.time(Double(Swift.max(offset, 0)) / factor)
        }
    }

    /// Returns the mean rate of the requests so far, in requests a second; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - count: How many requests were due.
    ///   - time: When the last of them was due.
    /// - Returns: The rate.
    func rate(of count: Int, until time: Int64) -> Double? {
        switch pace {
        case .max: nil
        case .constant(let rate): rate
        case .ramp, .recorded: count > 1 && time > 0 ? Double(count - 1) / Double(time) * 1e6 : nil
        }
    }

    /// Solves `from·t + (to − from)·t² / (2·over) = count` for the time in seconds.
    ///
    /// In the form that does not subtract numbers of the same size.
    private static func rampTime(
        _ count: Double,
        _ from: Double,
        _ to: Double,
        _ over: Double
    ) -> Double {
        let whole = (from + to) / 2 * over
        guard count < whole else { return over + (count - whole) / to }
        let slope = (to - from) / over
        let root = (from * from + 2 * slope * count).squareRoot()
        let sum = from + root
        return sum > 0 ? 2 * count / sum : 0
    }

    private static func time(_ microseconds: Double) -> Int64 {
        // The comparison is false for NaN.
        microseconds < limit ? Int64(microseconds.rounded()) : Int64(limit)
    }
}
