// SPDX-License-Identifier: MIT

public import TaplineModel

/// The first bytes of a body, captured while the body passes.
///
/// **Units**: bytes of content, without framing. Bytes beyond the limit, or for which there is no
/// memory, are counted but not kept.
public struct BodyCapture {
    /// The kept bytes.
    public private(set) var bytes: [UInt8] = []
    /// The number of bytes that have passed.
    public private(set) var size = 0

    private var isFull = false

    /// Creates an empty capture.
    public init() {}

    /// Whether some of the bytes that have passed were not kept.
    public var isTruncated: Bool { bytes.count < size }

    /// Appends the next bytes.
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

    /// Returns the bytes so far as a body, with the coding that the fields declare.
    public func body(_ fields: FieldSection, isCut: Bool) -> Body {
        Body(received: bytes, size: size, fields, isCut: isTruncated || isCut)
    }

    /// Returns the bytes so far as a decoded body, which ignores the coding that its message
    /// declares.
    public func decodedBody(isCut: Bool) -> Body {
        Body(bytes: bytes, size: size, isTruncated: isTruncated || isCut)
    }

    /// Releases the bytes and the memory that was counted for them.
    public mutating func release(_ memory: any CaptureMemory) {
        if !bytes.isEmpty { memory.release(bytes.count) }
        self = BodyCapture()
    }
}

extension Body {
    /// Creates a body from received bytes, with the coding that its message's fields declare;
    /// `size` is `nil` if the body is not complete.
    public init(received bytes: [UInt8], size: Int?, _ fields: FieldSection, isCut: Bool = false) {
        self.init(
            bytes: bytes,
            size: size,
            coding: fields.first("Content-Encoding") ?? ByteString(),
            isTruncated: isCut
        )
    }
}
