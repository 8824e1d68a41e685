// SPDX-License-Identifier: MIT

internal import CReach
internal import Glibc
internal import Synchronization
package import TaplineNet

/// Connects to listeners inside a namespace, through its helper.
///
/// **Isolation**: any thread. A call blocks for the helper's answer, which takes some microseconds,
/// since connecting within a machine does not wait.
package final class NamespaceRequests: Sendable {
    /// After this time, a request has failed.
    private static let limitMilliseconds: Int32 = 1000

    /// The answer to a request.
    package enum Answer: Equatable {
        /// A connected socket, which the caller owns.
        case connected(Int32)
        /// Nothing listens there.
        case refused
        /// A listener does not answer, or the helper does not.
        case failed
    }

    private let channel: Int32
    /// The number of the last request.
    private let number = Mutex<UInt32>(0)

    /// Uses a channel, and takes ownership of it.
    package init(owning channel: Int32) {
        self.channel = channel
        tapline_reach_set_limit(channel, Self.limitMilliseconds)
    }

    deinit { tapline_reach_close(channel) }

    /// Connects to an address of the namespace.
    package func connect(to address: SocketAddress) -> Answer {
        number.withLock { number in
            number &+= 1
            var message = tapline_reach_message()
            message.kind = UInt32(TAPLINE_REACH_CONNECT.rawValue)
            message.version = address.ip.isV4 ? 4 : 6
            message.high = address.ip.high
            message.low = address.ip.low
            message.port = UInt32(address.port)
            message.number = number
            guard unsafe tapline_reach_send(channel, &message, -1) == 0 else { return .failed }
            return receive(number)
        }
    }

    /// Receives the answer to a request, and drops late answers to earlier ones.
    private func receive(_ number: UInt32) -> Answer {
        while true {
            var answer = tapline_reach_message()
            var descriptor: Int32 = -1
            guard unsafe tapline_reach_receive(channel, &answer, &descriptor) > 0 else {
                return .failed
            }
            let isAnswer =
                answer.kind == UInt32(TAPLINE_REACH_CONNECTED.rawValue) && answer.number == number
            if isAnswer, descriptor >= 0 { return .connected(descriptor) }
            if isAnswer { return answer.detail == ECONNREFUSED ? .refused : .failed }
            if descriptor >= 0 { tapline_reach_close(descriptor) }
        }
    }
}
