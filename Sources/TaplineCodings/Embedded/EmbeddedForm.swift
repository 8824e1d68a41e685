// SPDX-License-Identifier: MIT

/// How a stretch of text is another text, written so that it fits where it stands.
///
/// Forms are made by `EmbeddedFinder`; they hold all that is needed to write a changed text back
/// in the same way.
public struct EmbeddedForm: Equatable, Sendable {
    enum Kind: Equatable {
        /// Characters escaped one by one: percent-encoding, JSON's backslashes, references of HTML.
        case escapes(EscapeStyles)
        case base64(Base64Form)
        case hex(isUpper: Bool)
        /// The parts of a JWT, or of another token in the compact form of JOSE (RFC 7515 §3.1).
        case token
        case utf16(UTF16Form)
        case utf32(UTF32Form)
        case quotedPrintable(QuotedPrintableForm)
        case compressed(ContentCoding)
    }

    let kind: Kind

    /// What forms and queries are written in: percent-encoding, and `+` for blanks.
    public static let formEncoded = EmbeddedForm(kind: .escapes([.percent, .plus]))

    /// What strings of JSON and of scripts are written in: backslashes (RFC 8259 §7).
    public static let backslashed = EmbeddedForm(kind: .escapes(.backslash))

    /// What HTML and XML write for single characters: `&#65;`, `&amp;`.
    public static let references = EmbeddedForm(kind: .escapes([.reference]))

    /// The form of a text that is told to be in quoted-printable (RFC 2045 §6.7).
    public static func quotedPrintable(of text: Span<UInt8>) -> EmbeddedForm {
        EmbeddedForm(kind: .quotedPrintable(QuotedPrintableText.form(of: text)))
    }

    /// Whether a text is likely to be in quoted-printable, though nothing says so.
    public static func isQuotedPrintable(_ text: Span<UInt8>) -> Bool {
        QuotedPrintableText.isLikely(text)
    }

    /// Whether the text is in UTF-16.
    public var isUTF16: Bool {
        if case .utf16 = kind { true } else { false }
    }

    /// The name for messages: `escapes`, `base64`, `base64url`, `hex`, `jwt`, `utf-16`, `gzip`, ….
    public var name: String {
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

    /// Whether each character stands for itself or is escaped on its own, so that a place in the
    /// decoded text has a place of its own in the encoded one: see `EscapeMap`.
    public var isCharacterwise: Bool {
        if case .escapes = kind { true } else { false }
    }

    /// Whether characters are written as HTML and XML have them: `&#65;`, `&amp;`.
    public var hasReferences: Bool {
        if case .escapes(let styles) = kind { styles.contains(.reference) } else { false }
    }

    /// Whether characters are written with backslashes, as in strings of JSON and of scripts.
    public var hasBackslashes: Bool {
        if case .escapes(let styles) = kind { styles.contains(.backslash) } else { false }
    }

    /// Whether it is gzip, zlib or zstd.
    public var isCompressed: Bool {
        if case .compressed = kind { true } else { false }
    }

    /// Whether more bytes may come out than the run has.
    public var mayGrow: Bool {
        switch kind {
        case .escapes, .base64, .hex, .token, .quotedPrintable, .utf32: false
        case .utf16, .compressed: true
        }
    }

    /// Whether a changed text can be written back; of a token it would need a signature.
    public var isWritable: Bool {
        kind != .token
    }
}

/// A stretch of a text that is another text in some form.
public struct EmbeddedRun: Equatable, Sendable {
    /// Where it stands.
    public let range: Range<Int>
    /// What it has to be decoded from.
    public let form: EmbeddedForm

    /// A run of a form that is known.
    public init(range: Range<Int>, form: EmbeddedForm) {
        self.range = range
        self.form = form
    }
}

/// How far decoding goes.
public struct EmbeddedLimits: Hashable, Sendable {
    /// The fewest characters that are taken for base64; shorter ones are words more often.
    public var minBase64Length = 12
    /// The fewest digits that are taken for hexadecimal text.
    public var minHexLength = 24
    /// How many forms within each other are undone.
    public var maxDepth = 6
    /// How many bytes may come out in all, as a multiple of what goes in.
    public var maxRatio = 16
    /// How many bytes may always come out, however few go in.
    public var ratioFreeBytes = 1 << 20

    /// The limits that `redact` and `tapline leaks` use.
    public init() {}

    /// How many bytes may come out of a text of this size.
    public func budget(for count: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: max(maxRatio, 0))
        return overflow ? .max : max(product, ratioFreeBytes)
    }
}
