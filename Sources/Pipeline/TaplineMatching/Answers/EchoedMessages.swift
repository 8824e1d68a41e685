// SPDX-License-Identifier: MIT

package import TaplineModel

/// Puts values of a live request in what a recorded server sent after the head of its response:
/// messages of a WebSocket, or events.
package struct EchoedMessages {
    private static let data = Array("data:".utf8)

    private let values: EchoedValues

    /// Finds the values that differ; `nil` if there are none.
    ///
    /// - Parameters:
    ///   - live: The request that is answered.
    ///   - recorded: The recorded request.
    ///   - masks: The texts that replace values in recordings.
    package init?(
        of live: borrowing Request,
        insteadOf recorded: borrowing Request,
        masks: Set<String>
    ) {
        values = EchoedValues(recorded: recorded, live: live, masks: masks)
        if values.isEmpty { return nil }
    }

    /// Returns a text message with live values.
    package func text(_ message: [UInt8]) -> [UInt8] {
        values.body(message, "text/plain") ?? message
    }

    /// Returns events with live values, as a server sends them (HTML standard, "Server-sent
    /// events").
    package func events(_ bytes: [UInt8]) -> [UInt8] {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let changed = lines.map { line -> [UInt8] in
            guard line.starts(with: Self.data) else { return Array(line) }
            let start = Self.data.count + (line.dropFirst(Self.data.count).first == 0x20 ? 1 : 0)
            let live = text(Array(line.dropFirst(start)))
            // A line end would begin another field.
            guard !live.contains(0x0A), !live.dropLast().contains(0x0D) else { return Array(line) }
            return Array(line.prefix(start)) + live
        }
        return Array(changed.joined(separator: [0x0A]))
    }
}
