// SPDX-License-Identifier: MIT

/// The bound of requests in flight, and what happens to a request that is due when it is reached.
struct ReplayConcurrency: Sendable, Equatable {
    /// What happens to a request that is due while the bound is reached.
    enum WhenFull: Sendable, Equatable {
        /// It is sent late.
        case wait
        /// It is not sent.
        case skip
    }

    /// The maximum number of requests in flight.
    var limit = 100
    var whenFull = WhenFull.wait
}

/// The next recorded request, as far as the pacer needs it.
enum ReplayInput: Sendable, Equatable {
    /// A request can be sent; `offset` is when it began in the recording, in microseconds since the
    /// first request, and `releasedAt` when the answer came that it has waited for, on the clock of
    /// the pacer; `.min` if it has not waited.
    case ready(offset: Int64, releasedAt: Int64 = .min)
    /// Requests follow, but none can be sent now; `byTarget` if it waits for responses.
    case waiting(byTarget: Bool)
    /// No request follows.
    case ended
}
