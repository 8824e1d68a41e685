// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel

/// The replacements of values in the current exchange.
///
/// Text that rules have replaced must not be replaced again, or equal values would no longer be
/// equal in all places.
///
/// **Isolation**: used by one lane; the lock only allows shared objects to refer to it.
final class AppliedReplacements: Sendable {
    private struct Texts {
        var all: Set<[UInt8]> = []
        /// A bit for each length in bytes (63 and more share the last one), by the lower six bits
        /// of the first byte; it rejects most look-ups.
        var lengths: UInt64 = 0
        var firsts: UInt64 = 0
        var longest = 0

        mutating func insert(_ text: [UInt8]) {
            guard let first = text.first, all.insert(text).inserted else { return }
            lengths |= 1 << UInt64(min(text.count, 63))
            firsts |= 1 << UInt64(first & 63)
            longest = max(longest, text.count)
        }

        func contains(_ text: Span<UInt8>) -> Bool {
            guard !text.isEmpty, text.count <= longest,
                lengths >> UInt64(min(text.count, 63)) & firsts >> UInt64(text[0] & 63) & 1 == 1
            else { return false }
            return all.contains(Array(copying: text))
        }
    }

    private let texts = Mutex(Texts())

    /// Begins another exchange.
    func reset() {
        texts.withLock { texts in
            guard !texts.all.isEmpty else { return }
            var all = exchange(&texts, with: Texts()).all
            all.removeAll(keepingCapacity: all.count < 1024)
            texts.all = all
        }
    }

    /// Records a text, and each of its words if it has several, as in `Bearer …`.
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

    /// Whether a text is the replacement of a value.
    func contains(_ text: Span<UInt8>) -> Bool {
        texts.withLock { $0.contains(text) }
    }
}
