// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineModel

/// Decodes the compressed messages of one direction, if there are any.
final class LazyInflater: WebSocketInflater {
    /// Whether nothing more is kept, so that nothing has to be decoded.
    var isIdle = false

    private let windowBits: Int
    private let forgets: Bool
    private let limits: DecodingLimits
    private var inflater: MessageInflater?

    init(
        _ compression: PerMessageDeflate,
        _ direction: StreamMessage.Direction,
        _ limits: DecodingLimits
    ) {
        let isUp = direction == .up
        windowBits = isUp ? compression.clientMaxWindowBits : compression.serverMaxWindowBits
        forgets =
            isUp ? compression.clientNoContextTakeover : compression.serverNoContextTakeover
        self.limits = limits
    }

    func inflate(
        _ part: Span<UInt8>,
        isLast: Bool,
        keeping room: Int,
        appendingTo output: inout [UInt8]
    ) throws(WebSocketError.Code) -> Int {
        guard !isIdle else { return 1 }
        do throws(CodingError) {
            let inflater = try current()
            return try inflater.decode(part, isLast: isLast, keeping: room, appendingTo: &output)
        } catch {
            let isTooLong = error.code == .outputLimit || error.code == .ratioLimit
            throw isTooLong ? .messageTooLong : .invalidCompression
        }
    }

    /// The inflater, which is made for the first compressed message.
    private func current() throws(CodingError) -> MessageInflater {
        if let inflater { return inflater }
        let made = try MessageInflater(windowBits: windowBits, forgets: forgets, limits: limits)
        inflater = made
        return made
    }
}
