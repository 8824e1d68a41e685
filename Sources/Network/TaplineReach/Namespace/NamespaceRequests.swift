// SPDX-License-Identifier: MIT

internal import CReach
internal import Synchronization
package import TaplineNet

/// Connects to listeners inside a namespace, through its helper.
///
/// **Isolation**: any thread. A call blocks for the helper's answer, which takes some microseconds,
/// since connecting within a machine does not wait.
package final class NamespaceRequests: Sendable {
    /// After this time, the helper counts as stopped.
    private static let limitMilliseconds: Int32 = 1000

    private struct State {
        var number: UInt32 = 0
        var isBroken = false
    }

    private let channel: Int32
    private let state = Mutex(State())

    /// Uses a channel, and takes ownership of it.
    package init(owning channel: Int32) {
        self.channel = channel
        tapline_reach_set_limit(channel, Self.limitMilliseconds)
    }

    deinit { tapline_reach_close(channel) }

    /// Connects to an address of the namespace.
    ///
    /// - Returns: A connected socket, which the caller owns; `nil` if nothing listens there.
    package func connect(to address: SocketAddress) -> Int32? {
        state.withLock { state in
            guard !state.isBroken else { return nil }
            state.number &+= 1
            var message = tapline_reach_message()
            message.kind = UInt32(TAPLINE_REACH_CONNECT.rawValue)
            message.version = address.ip.isV4 ? 4 : 6
            message.high = address.ip.high
            message.low = address.ip.low
            message.port = UInt32(address.port)
            message.number = state.number
            guard unsafe tapline_reach_send(channel, &message, -1) == 0 else {
                state.isBroken = true
                return nil
            }
            return receive(&state)
        }
    }

    private func receive(_ state: inout State) -> Int32? {
        while true {
            var answer = tapline_reach_message()
            var descriptor: Int32 = -1
            guard unsafe tapline_reach_receive(channel, &answer, &descriptor) > 0 else {
                state.isBroken = true
                return nil
            }
            let isAnswer =
                answer.kind == UInt32(TAPLINE_REACH_CONNECTED.rawValue)
                && answer.number == state.number
            if isAnswer { return descriptor >= 0 ? descriptor : nil }
            if descriptor >= 0 { tapline_reach_close(descriptor) }
        }
    }
}
