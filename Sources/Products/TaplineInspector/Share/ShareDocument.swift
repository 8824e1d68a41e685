// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCrypto
internal import TaplineFormats
internal import TaplineJSON
package import TaplineModel

/// One HTML file that shows exchanges in any browser, without Tapline and without a network.
///
/// The file has the page of the inspector in one script, and the exchanges as base64 in an element
/// that no browser interprets: sections compressed with gzip, each after its length in four bytes
/// (little-endian). The first section is a head, followed by pairs of rows and details. With a
/// passphrase, all sections are encrypted as one.
///
/// **Shape**: exchanges are added newest first, until one does not fit.
/// **Limits**: it is held in memory, and has at most the bytes of `maxBytes`.
package struct ShareDocument {
    /// The largest file that browsers open.
    package static let sizeLimit = 256 << 20
    /// Rounds of PBKDF2, by the recommendation of OWASP for SHA-256.
    package static let rounds = 600_000
    /// What is compressed at once.
    private static let blockBytes = 256 << 10
    private static let blockCount = 500
    /// Room for the head, its salt, and the attributes of the element.
    private static let reserve = 8 << 10

    private let room: Int
    private var sections: [[UInt8]] = []
    private var size = 0
    private var pending: [(lines: SharedExchange, started: Timestamp)] = []
    private var pendingBytes = 0
    private var first: Timestamp?
    private var last: Timestamp?
    /// How many exchanges are in the file.
    package private(set) var count = 0
    /// Whether an exchange did not fit.
    package private(set) var isFull = false

    /// Begins a file; `nil` if not even an empty one fits.
    package init?(maxBytes: Int) {
        let text =
            min(maxBytes, Self.sizeLimit) - ShareTemplate.before.count
            - ShareTemplate.after.count - Self.reserve
        guard text > 0 else { return nil }
        room = text / 4 * 3
    }

    /// Adds an exchange, unless the file is full.
    ///
    /// - Parameters:
    ///   - exchange: The redacted exchange.
    ///   - number: Its position in the store.
    /// - Throws: `CodingError` if memory runs out.
    package mutating func add(_ exchange: Exchange, number: Int64) throws {
        guard !isFull else { return }
        let lines = SharedExchange(exchange, number: number)
        pending.append((lines, exchange.started))
        pendingBytes += lines.row.count + lines.detail.count
        if pendingBytes >= Self.blockBytes || pending.count >= Self.blockCount { try flush() }
    }

    /// Adds the exchanges that are still uncompressed.
    ///
    /// - Throws: `CodingError` if memory runs out.
    package mutating func flush() throws {
        var block = pending[...]
        pending = []
        pendingBytes = 0
        // If a block does not fit, its first exchanges may.
        while !block.isEmpty {
            let pair = [
                try Self.section(block.flatMap(\.lines.row)),
                try Self.section(block.flatMap(\.lines.detail)),
            ]
            let bytes = pair[0].count + pair[1].count
            if size + bytes <= room {
                sections += pair
                size += bytes
                count += block.count
                for (_, started) in block {
                    first = min(first ?? started, started)
                    last = max(last ?? started, started)
                }
                return
            }
            isFull = true
            block = block.prefix(block.count / 2)
        }
    }

    /// Ends the file.
    ///
    /// - Parameters:
    ///   - about: What the page shows about the file.
    ///   - passphrase: The passphrase; `nil` to leave the exchanges readable for everybody.
    /// - Returns: The parts of the file, or `nil` if they cannot be encrypted.
    /// - Throws: `CodingError` if memory runs out.
    package mutating func finish(
        _ about: About,
        passphrase: [UInt8]?
    ) throws -> [[UInt8]]? {
        try flush()
        var bytes = try Self.section(head(about))
        bytes.reserveCapacity(bytes.count + size)
        for section in sections { bytes += section }
        var attributes = ""
        if let passphrase {
            let random = SecureRandom()
            let salt = random.bytes(count: 16)
            let nonce = random.bytes(count: AESGCM.nonceSize)
            guard
                let key = PBKDF2.key(
                    from: passphrase.span,
                    salt: salt.span,
                    rounds: Self.rounds
                ),
                let sealed = AESGCM.seal(bytes.span, key: key.span, nonce: nonce.span)
            else { return nil }
            bytes = sealed
            attributes =
                " data-rounds=\"\(Self.rounds)\""
                + " data-salt=\"\(Self.base64(salt))\" data-nonce=\"\(Self.base64(nonce))\""
        }
        var data: [UInt8] = []
        Base64.encode(bytes.span, into: &data)
        let start = "<script type=\"application/octet-stream\" id=\"data\"\(attributes)>"
        return [
            ShareTemplate.before, Array(start.utf8), data, Array("</script>\n".utf8),
            ShareTemplate.after,
        ]
    }

    private func head(_ about: About) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("v", 1)
            json.member("version", ProgramVersion.text)
            json.member("title", about.title)
            json.member("redaction", about.redaction)
            json.member("made", about.made.microseconds)
            json.member("count", count)
            if isFull { json.member("cut", true) }
            if let first { json.member("first", first.microseconds) }
            if let last { json.member("last", last.microseconds) }
            if !about.differences.isEmpty {
                json.key("differences")
                json.raw(about.differences.span)
            }
        }
        return Array(copying: json.bytes)
    }

    /// Compressed bytes after their length.
    private static func section(_ bytes: [UInt8]) throws -> [UInt8] {
        let compressed = try ContentCoding.gzip.encode(bytes.span, level: 9)
        let count = UInt32(clamping: compressed.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) } + compressed
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64.encode(bytes.span, into: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

extension ShareDocument {
    /// What the page shows about a file.
    package struct About: Sendable {
        /// The names of the stores.
        package var title: String
        /// The preset of the redaction.
        package var redaction: String
        /// When the file was made.
        package var made: Timestamp
        /// What differs between the exchanges, as a JSON object for `differences.js`; empty for a
        /// file that compares nothing.
        package var differences: [UInt8]

        package init(
            title: String,
            redaction: String,
            made: Timestamp,
            differences: [UInt8] = []
        ) {
            self.title = title
            self.redaction = redaction
            self.made = made
            self.differences = differences
        }
    }
}
