// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineNet
internal import TaplinePlugin

/// The speed limits that hooks have set; `finish` ends them.
///
/// The limited side takes less, so the ordinary flow control slows down the other one.
extension ProxyExchange {
    /// Limits what the client receives.
    func throttleClient() {
        let limit = held.context.throttle.down
        if limit > 0 { client.link.pace(bytesPerSecond: limit) }
    }

    /// Limits what the server receives.
    func throttle(_ server: ServerLink) {
        let limit = held.context.throttle.up
        if limit > 0 { server.pace(bytesPerSecond: limit) }
    }
}
