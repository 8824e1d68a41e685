// SPDX-License-Identifier: MIT

/// What is kept of a message's content (RFC 9110 §6.4).
///
/// Fields are never edited to agree with it: `coding` alone says how the kept bytes are coded.
@frozen
public struct Body: Sendable, Equatable {
    /// The kept bytes.
    public var bytes: [UInt8]
    /// The size on the wire, when known; it stays what it was when the bytes are cut or redacted.
    public var size: Int?
    /// How the kept bytes are coded, in the words of Content-Encoding; empty when they are not.
    ///
    /// The only thing that a decoder trusts: recordings often hold decoded bytes, whatever the
    /// field says.
    public var coding: ByteString
    /// Whether bytes are missing at the end.
    public var isTruncated: Bool
    /// The size of the decoded content, when known.
    public var decodedSize: Int?
    /// What a recording says of the content, in the words of Content-Type, where the fields say
    /// nothing of it or something else; empty otherwise.
    ///
    /// HAR keeps a type beside the fields, which may be all that is left of them. To know what
    /// content is, read `contentType` of its message, which looks at both.
    public var contentType: ByteString
    /// Whether a recording has the hash of the kept bytes, so that its record gets one, too.
    ///
    /// It is taken anew when the record is sealed, since stages may change the bytes.
    @usableFromInline package var isHashed = false

    /// No content.
    @inlinable
    public init() {
        self.init(bytes: [], size: nil)
    }

    /// Content of these bytes.
    @inlinable
    public init(
        bytes: [UInt8],
        size: Int?,
        coding: ByteString = ByteString(),
        isTruncated: Bool = false,
        decodedSize: Int? = nil,
        contentType: ByteString = ByteString()
    ) {
        self.bytes = bytes
        self.size = size
        self.coding = coding
        self.isTruncated = isTruncated
        self.decodedSize = decodedSize
        self.contentType = contentType
    }

    /// Whole content of these bytes, not coded.
    @inlinable
    public init(_ bytes: [UInt8]) {
        self.init(bytes: bytes, size: bytes.count)
    }

    /// Whether nothing is known of any content.
    @inlinable
    public var isAbsent: Bool { bytes.isEmpty && size == nil && !isTruncated }
}
