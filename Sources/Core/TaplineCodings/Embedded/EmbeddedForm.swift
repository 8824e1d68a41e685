// SPDX-License-Identifier: MIT

/// The form in which a text is embedded in another text.
///
/// `EmbeddedFinder` determines forms. A form holds everything that is needed to encode a changed
/// text in the same way.
@usableFromInline package struct EmbeddedForm: Equatable, Sendable {
    enum Kind: Equatable {
        /// Characters escaped one by one: percent-encoding, JSON's backslash escapes, HTML
        /// references.
        case escapes(EscapeStyles)
        case base64(Base64Form)
        case hex(isUpper: Bool)
        /// The parts of a JWT or of another token in JOSE's compact serialization (RFC 7515 §3.1).
        case token
        case utf16(UTF16Form)
        case utf32(UTF32Form)
        case quotedPrintable(QuotedPrintableForm)
        case compressed(ContentCoding)
    }

    let kind: Kind

    /// The form of form data and queries: percent-encoding, and `+` for a space.
    package static let formEncoded = EmbeddedForm(kind: .escapes([.percent, .plus]))

    /// The form of strings in JSON and in scripts: backslash escapes (RFC 8259 §7).
    package static let backslashed = EmbeddedForm(kind: .escapes(.backslash))

    /// The form of single characters in HTML and XML: `&#65;`, `&amp;`.
    package static let references = EmbeddedForm(kind: .escapes([.reference]))

    /// Returns the form of a text that is declared as quoted-printable (RFC 2045 §6.7).
    package static func quotedPrintable(of text: Span<UInt8>) -> EmbeddedForm {
        EmbeddedForm(kind: .quotedPrintable(QuotedPrintableText.form(of: text)))
    }

    /// Returns whether a text is likely to be quoted-printable, although it is not declared as
    /// such.
    package static func isQuotedPrintable(_ text: Span<UInt8>) -> Bool {
        QuotedPrintableText.isLikely(text)
    }

    /// Whether the text is in UTF-16.
    package var isUTF16: Bool {
        if case .utf16 = kind { true } else { false }
    }

    /// The name in messages: `escapes`, `base64`, `base64url`, `hex`, `jwt`, `utf-16`, `gzip`, ….
    package var name: String {
        switch kind {
        case .escapes: "escapes"
        case .base64(let form): form.isURL ? "base64url" : "base64"
        case .hex: "hex"
        case .token: "jwt"
        case .utf16: "utf-16"
        case .utf32: "utf-32"
        case .quotedPrintable: "quoted-printable"
        case .compressed(let coding): coding.name
        }
    }

    /// Whether each character is written plainly or escaped on its own, so that a position in the
    /// decoded text maps to one in the encoded text (see `EscapeMap`).
    package var isCharacterwise: Bool {
        if case .escapes = kind { true } else { false }
    }

    /// Whether characters are written as references of HTML and XML: `&#65;`, `&amp;`.
    package var hasReferences: Bool {
        if case .escapes(let styles) = kind { styles.contains(.reference) } else { false }
    }

    /// Whether characters are escaped with backslashes, as in strings of JSON and of scripts.
    package var hasBackslashes: Bool {
        if case .escapes(let styles) = kind { styles.contains(.backslash) } else { false }
    }

    /// Whether it is gzip, zlib or zstd.
    package var isCompressed: Bool {
        if case .compressed = kind { true } else { false }
    }

    /// Whether the decoded text may be longer than the run.
    package var mayGrow: Bool {
        switch kind {
        case .escapes, .base64, .hex, .token, .quotedPrintable, .utf32: false
        case .utf16, .compressed: true
        }
    }

    /// Whether a changed text can be encoded again; a token would need a new signature.
    package var isWritable: Bool {
        kind != .token
    }
}

/// A part of a text that is another text in an encoded form.
@usableFromInline package struct EmbeddedRun: Equatable, Sendable {
    /// The position of the run.
    package let range: Range<Int>
    /// The form to decode the run from.
    package let form: EmbeddedForm

    /// Makes a run of a known form.
    @usableFromInline package init(range: Range<Int>, form: EmbeddedForm) {
        self.range = range
        self.form = form
    }
}

/// The limits of decoding embedded texts.
@usableFromInline package struct EmbeddedLimits: Hashable, Sendable {
    /// The minimum length of base64; shorter runs are more often words.
    package var minBase64Length = 12
    /// The minimum number of digits of hexadecimal text.
    package var minHexLength = 24
    /// The maximum depth of nested forms.
    package var maxDepth = 6
    /// The maximum total size of decoded text, as a multiple of the input.
    package var maxRatio = 16
    /// The total size of decoded text that is always allowed, in bytes.
    package var ratioFreeBytes = 1 << 20

    /// The limits that `redact` and `tapline leaks` use.
    package init() {}

    /// Returns the maximum number of bytes that a text of this size may decode to.
    @usableFromInline package func budget(for count: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: max(maxRatio, 0))
        return overflow ? .max : max(product, ratioFreeBytes)
    }
}
