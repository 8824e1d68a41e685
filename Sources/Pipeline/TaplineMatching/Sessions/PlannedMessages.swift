// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The recorded messages of a WebSocket, as far as they contain tokens.
package struct PlannedMessages: Sendable {
    /// A message of the server that hands out tokens.
    package struct IssuingMessage: Sendable {
        /// Its number, which requests need as they need the numbers of exchanges.
        package let number: Int
        /// Its position among the recorded messages.
        package let position: Int
        let message: StreamMessage
    }

    /// A message of the client that sends back tokens.
    package struct EchoingMessage: Sendable {
        /// The places of the tokens.
        package let tokens: [ValuePlace]
        /// The numbers of messages in the same WebSocket that hand them out.
        package let needs: [Int]
    }

    /// The messages of the server that hand out tokens, in order.
    package let issuing: [IssuingMessage]
    /// The messages of the client that send back tokens, by position among the recorded messages.
    package let echoing: [Int: EchoingMessage]
    let sources: TokenMap.Places
    let targets: TokenMap.Places

    /// The approximate memory that they take, in bytes.
    package var memory: Int {
        issuing.reduce(256 * echoing.count) { $0 + 256 + $1.message.bytes.count }
    }
}

/// Assigns the messages of a live server to those of the recorded one.
///
/// The first live message that has a value at a place takes the place of the first recorded one that
/// has, the second of the second, and so on; both are of one type. Other messages may come between
/// them.
package struct MessagePairing: Sendable {
    private struct Key: Hashable {
        let place: ValuePlace
        let type: ByteString?
    }

    let messages: PlannedMessages
    /// The recorded messages with a value at a place, from the next one on.
    private var waiting: [Key: ArraySlice<Int>] = [:]
    /// The recorded messages that no live one has taken the place of.
    private var left: Set<Int>

    package init(_ messages: PlannedMessages) {
        self.messages = messages
        left = Set(messages.issuing.indices)
        for (index, issuing) in messages.issuing.enumerated() {
            let message = issuing.message
            for key in Self.keys(message.bytes, isText: message.isText, messages.sources) {
                waiting[key, default: []].append(index)
            }
        }
    }

    /// Whether all recorded messages have live ones.
    package var isDone: Bool { left.isEmpty }

    private static func keys(
        _ bytes: [UInt8],
        isText: Bool,
        _ sources: TokenMap.Places
    ) -> [Key] {
        let places = Set(
            IssuedValues(message: bytes, bytes, isText: isText).pairs.map(\.place)
        ).filter { sources.bindings[$0] != nil }
        guard !places.isEmpty else { return [] }
        let type = MessageText(bytes).type
        return places.map { Key(place: $0, type: type) }
    }

    /// Takes a live message.
    ///
    /// - Returns: Its values with the recorded ones in whose place they are, and the numbers of the
    ///   recorded messages that now have a live one.
    mutating func take(
        _ live: [UInt8],
        isText: Bool
    ) -> (pairs: [IssuedValues.Pair], numbers: [Int]) {
        var places: [Int: Set<ValuePlace>] = [:]
        for key in Self.keys(live, isText: isText, messages.sources) {
            guard let index = waiting[key]?.popFirst() else { continue }
            places[index, default: []].insert(key.place)
        }
        var pairs: [IssuedValues.Pair] = []
        var numbers: [Int] = []
        for (index, places) in places.sorted(by: { $0.key < $1.key }) {
            let recorded = messages.issuing[index]
            let values = IssuedValues(message: recorded.message.bytes, live, isText: isText)
            pairs += values.pairs.filter { places.contains($0.place) }
            if left.remove(index) != nil { numbers.append(recorded.number) }
        }
        return (pairs, numbers)
    }
}
