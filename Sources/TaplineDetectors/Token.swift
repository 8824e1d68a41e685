// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplinePatterns

/// A secret that begins with, or holds, bytes that hardly anything else does.
final class Token: Sendable {
    /// What is looked for.
    let head: LiteralSet.Literal
    /// What stands before that and belongs to the secret.
    private let lead: Segment?
    /// A word that may stand right before the lead.
    private let prefix: StaticString
    /// What stands after it.
    private let tail: [Segment]
    /// Whether the head tells nothing by itself and may stay.
    private let keepsHead: Bool
    /// The least bits a byte of what is found.
    private let minEntropy: Double

    /// A form.
    ///
    /// - Parameters:
    ///   - head: Its literal, at least three bytes.
    ///   - tail: What follows.
    ///   - lead: A run that comes first.
    ///   - prefix: A word that may stand right before the lead.
    ///   - keepsHead: Whether only the tail is secret.
    ///   - entropy: The least bits a byte, where the form alone gives false alarms; then there has
    ///     to be a digit too, and no dash before.
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

    /// The secret around a head that was found, or `nil` if the form does not fit.
    func range(in text: Span<UInt8>, head: Range<Int>) -> Range<Int>? {
        guard var start = start(in: text, before: head.lowerBound),
            let end = tail.end(in: text, from: head.upperBound)
        else { return nil }
        if keepsHead { start = head.upperBound }
        return minEntropy == 0 || isRandom(text.extracting(start..<end)) ? start..<end : nil
    }

    /// The start of the secret, where that is the border of a word.
    private func start(in text: Span<UInt8>, before head: Int) -> Int? {
        guard let lead, case .run(let set, let least, let most) = lead.content else {
            // Where the form alone says little, `cache-key-…` is a name.
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

    /// Whether bytes are spread like those of a key, and no words.
    private func isRandom(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index].isDigit {
            return Entropy.bitsPerByte(of: bytes) >= minEntropy
        }
        return false
    }

    private var hasPrefix: Bool { prefix.utf8CodeUnitCount > 0 }

    /// Whether the prefix stands right before a position.
    private func follows(_ text: Span<UInt8>, _ start: Int) -> Bool {
        text.hasBytes(prefix, at: start - prefix.utf8CodeUnitCount)
    }

    /// The form as a regular expression.
    var text: String {
        let head = String(decoding: head.bytes, as: UTF8.self).escapedForForm
        return (lead?.text ?? "") + head + tail.map(\.text).joined()
    }
}
