// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineOperations

/// Why a recorded request is not sent, with all that is counted of it.
struct ReplayRefusal: Error, Hashable {
    let obstacle: ReplayObstacle
    /// The recorded host, if there is no server for it.
    var host: ByteString?
    /// The places of masks that cannot be replaced.
    var maskedPlaces: [String] = []

    /// The approximate memory that it takes, in bytes.
    var memory: Int {
        128 + (host?.count ?? 0) + maskedPlaces.reduce(0) { $0 + $1.utf8.count + 32 }
    }
}
