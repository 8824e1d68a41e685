// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

/// Tokens in the messages of a WebSocket.
extension SessionTokens {
    /// Binds what recorded messages of a server handed out to what a live one hands out.
    ///
    /// - Parameters:
    ///   - message: A message of the server.
    ///   - pairing: The messages of its WebSocket.
    ///   - session: The session of the WebSocket.
    ///   - pass: How often the recording was read before.
    /// - Returns: The numbers of the recorded messages whose tokens are bound.
    package mutating func observe(
        _ message: StreamMessage,
        _ pairing: inout MessagePairing,
        in session: SessionID,
        pass: Int = 0
    ) -> [Int] {
        guard message.mayHaveTokens else { return [] }
        let (pairs, numbers) = pairing.take(message.bytes, isText: message.isText)
        guard !pairs.isEmpty else { return numbers }
        order += 1
        for pair in pairs {
            for binding in pairing.messages.sources.bindings[pair.place] ?? [] {
                bind(pair.recorded, to: pair.live, binding, session, pass)
            }
        }
        return numbers
    }

    /// Replaces the tokens of a recorded message of a client by the live ones.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - position: Its position among the recorded messages.
    ///   - messages: The messages of its WebSocket.
    ///   - session: The session of the WebSocket.
    ///   - pass: How often the recording was read before.
    /// - Returns: What was replaced, and what could not be.
    package mutating func apply(
        to message: inout StreamMessage,
        at position: Int,
        of messages: PlannedMessages,
        in session: SessionID,
        pass: Int = 0
    ) -> TokenUse {
        var use = TokenUse()
        guard let tokens = messages.echoing[position]?.tokens else { return use }
        let scopes = [TokenScope.session(session), .pass(pass)]
        var edits = RequestEdits()
        let read = RequestValues(message: message.bytes, isText: message.isText)
        for value in read.values where !edits.contains(value) {
            guard let (name, live) = live(value, messages.targets, scopes),
                edits.replace(value, with: live)
            else { continue }
            use.bound.append(TokenUse.Bound(name: name, place: value.place))
        }
        let bytes = edits.applied(to: message.bytes)
        // RFC 6455 §8.1: other bytes end the connection.
        if message.isText, !isValidUTF8(bytes.span) {
            use.bound = []
        } else {
            message.bytes = bytes
        }
        use.missing = tokens.filter { place in !use.bound.contains { $0.place == place } }
        return use
    }
}
