// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel

/// Content that waits in an exchange, for hooks or for a server.
extension ProxyExchange {
    /// Holds content until it can be forwarded.
    ///
    /// Not in place; see `ClientLeg.keep`.
    func hold(_ content: Span<UInt8>) {
        var kept = exchange(&waiting, with: [])
        kept.append(copying: content)
        waiting = kept
        buffered &+= content.count
        client.memory.share.buffer(content.count)
    }

    /// Notes that no content waits any more.
    func releaseHeld() {
        guard buffered > 0 else { return }
        client.memory.share.buffer(-buffered)
        buffered = 0
    }

    /// The size of content for the machine: more than hooks may want if other exchanges of the client
    /// have used up its share, so that the hooks run with what has arrived.
    func visibleSize(of content: Span<UInt8>) -> Int {
        guard buffered > 0, !client.memory.share.mayBuffer(beside: buffered) else {
            return content.count
        }
        return .max
    }
}
