// SPDX-License-Identifier: MIT

public import TaplineModel

/// The first bytes of a body, kept while the body passes.
///
/// **Units**: bytes of content, without framing. What passes the cap, or does not fit into the
/// memory, is counted and not kept.
public struct BodyCapture {
    /// The kept bytes.
    public private(set) var bytes: [UInt8] = []
    /// The bytes that have passed.
    public private(set) var size = 0

    private var isFull = false

    /// Nothing yet.
    public init() {}

    /// Whether bytes have passed that are not kept.
    public var isTruncated: Bool { bytes.count < size }

    /// Takes the next bytes.
    public mutating func append(
        _ content: Span<UInt8>,
        upTo limit: Int,
        _ memory: any CaptureMemory
    ) {
        size &+= content.count
        guard !isFull else { return }
        let count = min(content.count, limit - bytes.count)
        isFull = count < content.count
        guard count > 0 else { return }
        guard memory.hold(count) else {
            isFull = true
            return
        }
        bytes.append(copying: content.extracting(0..<count))
    }

    /// Counts bytes that are not kept.
    public mutating func skip(_ count: Int) {
        size &+= count
        isFull = isFull || count > 0
    }

    /// The bytes so far as a body, coded as the fields say.
    public func body(_ fields: FieldSection, isCut: Bool) -> Body {
        Body(received: bytes, size: size, fields, isCut: isTruncated || isCut)
    }

    /// The bytes so far as a body that came decoded, so that what coding its message names does not
    /// count.
    public func decodedBody(isCut: Bool) -> Body {
        Body(bytes: bytes, size: size, isTruncated: isTruncated || isCut)
    }

    /// Lets go of the bytes and of the memory that was counted for them.
    public mutating func release(_ memory: any CaptureMemory) {
        if !bytes.isEmpty { memory.release(bytes.count) }
        self = BodyCapture()
    }
}

extension Body {
    /// Bytes as they came, coded as the fields of their message say; of no known size where the body
    /// is not over.
    public init(received bytes: [UInt8], size: Int?, _ fields: FieldSection, isCut: Bool = false) {
        self.init(
            bytes: bytes,
            size: size,
            coding: fields.first("Content-Encoding") ?? ByteString(),
            isTruncated: isCut
        )
    }
}
