// SPDX-License-Identifier: MIT

/// The kept part of a message's content (RFC 9110 §6.4).
///
/// Fields are never edited to match it: only `coding` states how the kept bytes are coded.
@frozen
public struct Body: Sendable, Equatable {
    /// The kept bytes.
    public var bytes: [UInt8]
    /// The size on the wire, if known; it does not change when the bytes are cut or redacted.
    public var size: Int?
    /// The coding of the kept bytes, as in Content-Encoding; empty if they are not coded.
    ///
    /// Decoders rely only on this: recordings often contain decoded bytes, whatever the field says.
    public var coding: ByteString
    /// Whether bytes are missing at the end.
    public var isTruncated: Bool
    /// The size of the decoded content, if known.
    public var decodedSize: Int?
    /// The content type that a recording states and the fields do not; otherwise empty.
    ///
    /// HAR has a type in addition to the fields, which may be missing. To get the type of a
    /// message's content, read the message's `contentType`, which considers both.
    public var contentType: ByteString
    /// Whether the recording has a hash of the kept bytes, so that the record gets one too.
    ///
    /// The hash is computed again when the record is sealed, since stages may change the bytes.
    @usableFromInline package var isHashed = false

    /// No content.
    @inlinable
    public init() {
        self.init(bytes: [], size: nil)
    }

    /// Creates content of the given bytes.
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

    /// Creates complete content of the given bytes, without coding.
    @inlinable
    public init(_ bytes: [UInt8]) {
        self.init(bytes: bytes, size: bytes.count)
    }

    /// Whether no content is known.
    @inlinable
    public var isAbsent: Bool { bytes.isEmpty && size == nil && !isTruncated }
}
