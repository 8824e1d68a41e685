// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel

/// The texts that took the place of values in the present exchange.
///
/// What rules have replaced is not to be replaced once more, or equal values would no longer be
/// equal in all places.
///
/// **Isolation**: one lane's; the lock only lets what is shared refer to it.
final class MadeTexts: Sendable {
    private let texts = Mutex<Set<[UInt8]>>([])

    /// Another exchange begins.
    func reset() {
        texts.withLock { if !$0.isEmpty { $0.removeAll(keepingCapacity: true) } }
    }

    /// Notes a text, and its words where it has several, as `Bearer …` has.
    func note(_ text: Span<UInt8>) {
        let whole = Array(copying: text)
        texts.withLock { texts in
            texts.insert(whole)
            guard whole.contains(.ascii(" ")) || whole.contains(.ascii(":")) else { return }
            for word in whole.split(whereSeparator: { $0 == 0x20 || $0 == .ascii(":") })
            where word.count >= Pseudonyms.minWord {
                texts.insert(Array(word))
            }
        }
    }

    /// Whether a text was put in place of a value.
    func contains(_ text: Span<UInt8>) -> Bool {
        texts.withLock { !$0.isEmpty && $0.contains(Array(copying: text)) }
    }
}
