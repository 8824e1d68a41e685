// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The first bytes of a body, kept while the body passes.
///
/// **Units**: bytes of content, without framing. What passes the cap, or does not fit into
/// `runtime.memory`, is counted and not kept.
struct BodyCapture {
    /// The kept bytes.
    private(set) var bytes: [UInt8] = []
    /// The bytes that have passed.
    private(set) var size = 0

    private var isFull = false

    /// Whether bytes have passed that are not kept.
    var isTruncated: Bool { bytes.count < size }

    /// Takes the next bytes.
    mutating func append(_ content: Span<UInt8>, upTo limit: Int, _ lane: any Lane) {
        size &+= content.count
        guard !isFull else { return }
        let count = min(content.count, limit - bytes.count)
        isFull = count < content.count
        guard count > 0 else { return }
        guard lane.hold(count) else {
            isFull = true
            return
        }
        bytes.append(copying: content.extracting(0..<count))
    }

    /// The bytes so far as a body, coded as the fields say.
    func body(_ fields: FieldSection, isCut: Bool) -> Body {
        Body(received: bytes, size: size, fields, isCut: isTruncated || isCut)
    }

    /// Lets go of the bytes and of the memory that was counted for them.
    mutating func release(_ lane: any Lane) {
        if !bytes.isEmpty { lane.release(bytes.count) }
        self = BodyCapture()
    }
}

extension Body {
    /// Bytes as they came, coded as the fields of their message say; of no known size where the body
    /// is not over.
    init(received bytes: [UInt8], size: Int?, _ fields: FieldSection, isCut: Bool = false) {
        self.init(
            bytes: bytes,
            size: size,
            coding: fields.first("Content-Encoding") ?? ByteString(),
            isTruncated: isCut
        )
    }
}
