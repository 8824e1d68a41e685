// SPDX-License-Identifier: MIT

internal import TaplineStore

/// The state of the stores, in words of the page.
struct StoreStatus: Sendable, Equatable {
    /// `ok`, `newer`, `damaged`, `locked`, `busy` or `missing`; a store without exchanges is `ok`.
    var state: String
    /// What is wrong; empty if nothing is.
    var message = ""
    /// What to do; empty if nothing is known.
    var help = ""

    static let ok = StoreStatus(state: "ok")

    /// Whether the stores may be readable again soon, without anyone doing anything.
    var isPassing: Bool { ["locked", "missing", "busy"].contains(state) }

    private init(state: String) { self.state = state }

    /// What an error means.
    init(_ error: any Error) {
        if let error = error as? APIError {
            state = error.code
            message = error.message
            help = error.help ?? ""
            return
        }
        message = "\(error)"
        switch (error as? StoreError)?.code {
        case .missing:
            state = "missing"
            help = "The inspector shows the store as soon as it exists."
        case .newer:
            state = "newer"
            help = "Use the version of Tapline that has written it, or a newer one."
        case .locked:
            state = "locked"
            help = "The inspector tries again until the other program has finished."
        default:
            state = "damaged"
            help = "'tapline store verify' checks a database."
        }
    }
}
