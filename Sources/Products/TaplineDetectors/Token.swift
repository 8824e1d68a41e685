// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineMultiPattern

/// A secret that begins with or contains a distinctive literal.
final class Token: Sendable {
    /// The literal to find.
    let head: LiteralSet.Literal
    /// The run before the literal that belongs to the secret.
    private let lead: Segment?
    /// A word that may come directly before the lead.
    private let prefix: StaticString
    /// The segments after the literal.
    private let tail: [Segment]
    /// Whether the head is not secret and may stay.
    private let keepsHead: Bool
    /// The minimum entropy of the secret, in bits per byte.
    private let minEntropy: Double

    /// Makes a form.
    ///
    /// - Parameters:
    ///   - head: Its literal, at least three bytes.
    ///   - tail: The segments after the literal.
    ///   - lead: The run before the literal.
    ///   - prefix: A word that may come directly before the lead.
    ///   - keepsHead: Whether only the tail is secret.
    ///   - entropy: The minimum entropy in bits per byte, for forms that would cause false alarms
    ///     otherwise. If it is set, the secret must also contain a digit, and no dash may come
    ///     before it.
    init(
        _ head: String,
        _ tail: [Segment],
        lead: Segment? = nil,
        prefix: StaticString = "",
        keepsHead: Bool = false,
        entropy: Double = 0
    ) {
        self.head = LiteralSet.Literal(head)
        self.lead = lead
        self.prefix = prefix
        self.tail = tail
        self.keepsHead = keepsHead
        minEntropy = entropy
    }

    /// Returns the secret around a head; `nil` if the text does not have the form.
    func range(in text: Span<UInt8>, head: Range<Int>) -> Range<Int>? {
        guard var start = start(in: text, before: head.lowerBound),
            let end = tail.end(in: text, from: head.upperBound)
        else { return nil }
        if keepsHead { start = head.upperBound }
        return minEntropy == 0 || isRandom(text.extracting(start..<end)) ? start..<end : nil
    }

    /// Returns the start of the secret; `nil` unless a word begins there.
    private func start(in text: Span<UInt8>, before head: Int) -> Int? {
        guard let lead, case .run(let set, let least, let most) = lead.content else {
            // Without a distinctive form, `cache-key-…` is more likely a name.
            if minEntropy > 0, text.byte(head - 1) == 0x2D { return nil }
            return !ByteSet.word.contains(text[head]) || text.isWordStart(head) ? head : nil
        }
        var start = text.start(of: set, before: head, limit: most)
        start += min(text.escapeLength(at: start), head - start)
        let before = text.byte(start - 1)
        let isCut =
            set.contains(before)
            || ByteSet.word.contains(before) && !(hasPrefix && follows(text, start))
        return head - start >= least && (!isCut || text.isWordStart(start)) ? start : nil
    }

    /// Returns whether bytes look like a random key rather than words.
    private func isRandom(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index].isDigit {
            return Entropy.bitsPerByte(of: bytes) >= minEntropy
        }
        return false
    }

    private var hasPrefix: Bool { prefix.utf8CodeUnitCount > 0 }

    /// Returns whether the prefix comes directly before a position.
    private func follows(_ text: Span<UInt8>, _ start: Int) -> Bool {
        text.hasBytes(prefix, at: start - prefix.utf8CodeUnitCount)
    }

    /// The form as a regular expression.
    var text: String {
        let head = String(decoding: head.bytes, as: UTF8.self).escapedForForm
        return (lead?.text ?? "") + head + tail.map(\.text).joined()
    }
}
