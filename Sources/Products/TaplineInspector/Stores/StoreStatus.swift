// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineStore

/// What is so with the stores, in words of the page.
struct StoreStatus: Sendable, Equatable {
    /// `ok`, `newer`, `damaged` or `missing`; a store without exchanges is `ok`.
    var state: String
    /// What is wrong; empty if nothing is.
    var message = ""
    /// What to do; empty if nothing is known.
    var help = ""

    static let ok = StoreStatus(state: "ok")

    private init(state: String) { self.state = state }

    /// What an error means.
    init(_ error: any Error) {
        message = "\(error)"
        switch (error as? StoreError)?.code {
        case .missing:
            state = "missing"
            help = "The inspector shows the store as soon as it exists."
        case .newer:
            state = "newer"
            help = "Use the version of Tapline that has written it, or a newer one."
        default:
            state = "damaged"
            help = "'tapline store verify' checks a database."
        }
    }
}

/// The status that the poller has found last.
///
/// **Isolation**: any thread.
final class SharedStatus: Sendable {
    private let state = Mutex<StoreStatus?>(nil)

    /// `nil` before the first look.
    var current: StoreStatus? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
