// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Replaces everything in an exchange that is not known to be harmless: `preset: strict`.
///
/// It runs after the rules and does not change their replacements. It does not search for secrets:
/// each text is split into words, its separators are kept, and each word is kept only if it is
/// known. Content that cannot be parsed is masked whole.
///
/// **Shape**: one for each lane; only stand-ins are carried over from one exchange to the next.
struct StrictRedactor {
    let strict: StrictRules
    let replacement: Replacement
    let limits: RedactionLimits
    private let applied: AppliedReplacements
    private var coder: BodyCoder
    /// The rules to count.
    private var hits: [UInt32] = []
    private var cache = PseudonymCache()
    /// The host of the request in lowercase; it is kept wherever it occurs.
    private(set) var ownHost: [UInt8] = []

    /// The kinds of cached values: values, names, hosts and JSON numbers have separate stand-ins.
    private enum Kind: UInt8 {
        case value, name, host, number
    }

    /// The maximum number of nested formats that are parsed; a deeper one is a single value.
    static let maxLevel = 6
    /// How often the stand-in of a stand-in is tried if five characters are kept by chance.
    private static let maxAttempts = 3

    var words: StrictWords { strict.words }

    init(
        _ strict: StrictRules,
        _ rules: RuleSet,
        _ replacement: Replacement,
        _ applied: AppliedReplacements
    ) {
        self.strict = strict
        self.replacement = replacement
        self.applied = applied
        limits = rules.limits
        coder = BodyCoder(maxDecodedBytes: rules.limits.maxDecodedBytes)
    }

    /// Begins another exchange, before the rules run.
    func begin() { applied.reset() }

    /// Redacts everything that a sink would see, after the rules.
    mutating func redact(
        _ exchange: inout Exchange,
        _ vars: inout Tags,
        _ counter: inout RuleCounter
    ) {
        ownHost = Self.host(of: exchange.request)
        redact(&exchange.request)
        exchange.response?.redact(by: &self)
        redact(&exchange.original)
        redact(&exchange.connection)
        redact(&exchange.tags)
        redact(&vars)
        if let error = exchange.error {
            exchange.error = ExchangeError(code: code(error.code), message: text(error.message))
        }
        for position in exchange.messages.indices { redact(&exchange.messages[position]) }
        if exchange.hasExtra { redactExtra(of: &exchange) }
        // Comments, titles and fields of tools, of which little is known to be harmless.
        exchange.har = ByteString()
        for hit in hits { counter.count(hit) }
        hits.removeAll(keepingCapacity: true)
    }

    private mutating func redact(_ request: inout Request) {
        redact(&request.body, request.fields)
        request.method = known(request.method) { $0.words.isMethod($1) }
        request.version = known(request.version) { $0.words.isValue($1) }
        request.scheme = known(request.scheme) { $0.words.isValue($1) }
        if request.method.span.equals("CONNECT") {
            request.target = changed(request.target) { $0.host($1, into: &$2) }
        } else {
            request.target = changed(request.target) { $0.url($1, 0, into: &$2) }
        }
        request.authority = changed(request.authority) { $0.host($1, into: &$2) }
        redact(&request.fields)
        redact(&request.trailers)
    }

    fileprivate mutating func redact(_ response: inout Response) {
        redact(&response.body, response.fields)
        response.version = known(response.version) { $0.words.isValue($1) }
        redact(reason: &response.reason)
        redact(&response.fields)
        redact(&response.trailers)
        for position in response.interim.indices {
            redact(reason: &response.interim[position].reason)
            redact(&response.interim[position].fields)
        }
    }

    private mutating func redact(reason: inout ByteString) {
        reason = changed(reason) { $0.text($1, $0.strict.field, 0, into: &$2) }
    }

    private mutating func redact(_ original: inout Original) {
        original.method = original.method.map { known($0) { $0.words.isMethod($1) } }
        original.url = original.url.map { url in changed(url) { $0.url($1, 0, into: &$2) } }
    }

    private mutating func redact(_ message: inout StreamMessage) {
        message.type =
            known(ByteString(message.type)) { Self.isMessage($1, $0) }
            .description
        message.event = text(message.event)
        message.eventID = text(message.eventID)
        guard !message.bytes.isEmpty else { return }
        guard Self.isText(message.bytes.span) else {
            message.bytes = masked(.plain)
            return
        }
        var output: [UInt8] = []
        value(message.bytes.span, strict.value, 0, into: &output)
        message.bytes = output
    }

    private static func isMessage(_ type: Span<UInt8>, _ redactor: StrictRedactor) -> Bool {
        type.equals("binary") || type.equals("grpc") || redactor.words.isValue(type)
            || redactor.words.isName(type)
    }

    private mutating func redact(_ tags: inout Tags) {
        guard !tags.isEmpty else { return }
        var kept = Tags()
        for tag in tags {
            let written = tag.name
            let name = written.utf8.span
            let isOwn = isOwnTag(name)
            guard strict.keep.isEmpty || strict.keep.tags.rule(for: name) == nil else {
                kept[tag.name] = tag.value
                continue
            }
            let isKnown = isOwn || words.isName(name)
            let shown = isKnown ? tag.name : String(decoding: self.name(name), as: UTF8.self)
            kept[shown] = isOwn ? texts(tag.value) : text(tag.value)
        }
        tags = kept
    }

    /// Whether a name is that of a tag of Tapline's own.
    func isOwnTag(_ name: Span<UInt8>) -> Bool {
        name.starts(with: "tapline.") && words.isName(name.extracting(8...))
    }

    /// Returns a redacted tag of Tapline's own: a list of rule names.
    private mutating func texts(_ value: String) -> String {
        var output: [UInt8] = []
        protocolText(value.utf8.span, .version, into: &output)
        return String(decoding: output, as: UTF8.self)
    }
}

extension Response {
    fileprivate mutating func redact(by redactor: inout StrictRedactor) { redactor.redact(&self) }
}

// MARK: - Replacing

extension StrictRedactor {
    /// Whether a text may be kept: it is harmless, or is already a replacement.
    func stays(_ text: Span<UInt8>) -> Bool {
        words.isValue(text) || Self.isTimestamp(text) || isReplacement(text)
    }

    /// Whether a text is already the replacement of a value.
    func isReplacement(_ text: Span<UInt8>) -> Bool {
        let mask = replacement.maskText
        return text.equals(mask.span) || applied.contains(text)
    }

    /// Whether a text is an RFC 3339 timestamp with a plausible fraction of at most nine digits.
    static func isTimestamp(_ text: Span<UInt8>) -> Bool {
        guard 20...35 ~= text.count, text[0].isDigit else { return false }
        var end = 20
        while end < text.count, text[end].isDigit { end += 1 }
        return end <= 29 && Timestamp(rfc3339: text) != nil
    }

    /// Appends the replacement of a value.
    mutating func put(_ value: Span<UInt8>, _ rule: Rule, into output: inout [UInt8]) {
        hits.append(rule.index)
        guard rule.action == .pseudonym else {
            let action = rule.action == .hash ? rule.action : .mask
            replacement.append(action, of: value, as: .plain, to: &output)
            return
        }
        guard !cache.append(value, kind: Kind.value.rawValue, to: &output) else { return }
        var standIn: [UInt8] = []
        replacement.append(.pseudonym, of: value, as: .plain, to: &standIn)
        for _ in 0..<Self.maxAttempts where Self.shares(value, standIn.span) {
            standIn = replacement.standIn(of: standIn.span)
        }
        if Self.shares(value, standIn.span) { standIn = replacement.maskText }
        cache.note(standIn.span, of: value, kind: Kind.value.rawValue)
        output += standIn
    }

    /// Whether a replacement keeps at least five characters of a value in place, which would reveal
    /// it; the parts that stand-ins of some forms keep are shorter.
    private static func shares(_ value: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        var count = 0
        for index in 0..<min(value.count, other.count) {
            let byte = value[index]
            let isEqual = byte == other[index] && (Pseudonyms.isAlphanumeric(byte) || byte >= 0x80)
            count = isEqual ? count + 1 : 0
            if count == 5 { return true }
        }
        return false
    }

    /// Appends the replacement of a JSON number; one with an exponent that could hold more than a
    /// magnitude is masked.
    mutating func number(_ value: Span<UInt8>, into output: inout [UInt8]) {
        hits.append(strict.value.index)
        guard Self.isPlain(number: value), strict.value.action == .pseudonym else {
            let action = strict.value.action == .hash ? strict.value.action : .mask
            replacement.append(action, of: value, as: .json, to: &output)
            return
        }
        guard !cache.append(value, kind: Kind.number.rawValue, to: &output) else { return }
        let start = output.count
        replacement.appendStandIn(ofScalar: value, to: &output)
        for _ in 0..<Self.maxAttempts
        where Self.shares(value, output.span.extracting(start...)) {
            let other = Array(output[start...])
            output.removeSubrange(start...)
            replacement.appendStandIn(ofScalar: other.span, to: &output)
        }
        if Self.shares(value, output.span.extracting(start...)) {
            output.removeSubrange(start...)
            replacement.append(.mask, of: value, as: .json, to: &output)
        }
        cache.note(output.span.extracting(start...), of: value, kind: Kind.number.rawValue)
    }

    /// Whether a number has a stand-in that keeps nothing of it; a short exponent is kept.
    static func isPlain(number: Span<UInt8>) -> Bool {
        let exponent = number.firstIndex(ofEither: .ascii("e"), .ascii("E"), from: 0)
        return number.count - exponent <= 5 && number.count <= 400
    }

    /// Returns the replacement of a name: a stand-in whatever the action, so that it is still a
    /// name.
    mutating func name(_ name: Span<UInt8>) -> [UInt8] {
        hits.append(strict.name.index)
        return standIn(of: name, .name) { $0.standIn(of: $1) }
    }

    /// Returns the replacement of a host.
    mutating func hostName(_ host: Span<UInt8>) -> [UInt8] {
        hits.append(strict.url.index)
        return standIn(of: host, .host) { $0.standIn(ofHost: $1) }
    }

    private mutating func standIn(
        of value: Span<UInt8>,
        _ kind: Kind,
        _ make: (Replacement, Span<UInt8>) -> [UInt8]
    ) -> [UInt8] {
        var output: [UInt8] = []
        if !cache.append(value, kind: kind.rawValue, to: &output) {
            output = make(replacement, value)
            cache.note(output.span, of: value, kind: kind.rawValue)
        }
        return output
    }

    /// Returns the mask of a whole body.
    mutating func masked(_ notation: Notation) -> [UInt8] {
        hits.append(strict.body.index)
        var output: [UInt8] = []
        replacement.append(.mask, of: Span(), as: notation, to: &output)
        return output
    }

    /// Returns a text unchanged if a predicate accepts it.
    mutating func known(
        _ text: ByteString,
        _ isKnown: (StrictRedactor, Span<UInt8>) -> Bool
    ) -> ByteString {
        guard !text.isEmpty, !isKnown(self, text.span), !isReplacement(text.span) else {
            return text
        }
        return ByteString(name(text.span))
    }

    /// Returns a text as rewritten by a function.
    mutating func changed(
        _ text: ByteString,
        _ write: (inout StrictRedactor, Span<UInt8>, inout [UInt8]) -> Void
    ) -> ByteString {
        guard !text.isEmpty else { return text }
        var output: [UInt8] = []
        write(&self, text.span, &output)
        return ByteString(output)
    }

    mutating func text(_ value: String) -> String {
        guard !value.isEmpty else { return value }
        var output: [UInt8] = []
        self.value(value.utf8.span, strict.value, 0, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func code(_ code: String) -> String {
        guard !code.isEmpty, !words.isCode(code.utf8.span) else { return code }
        return text(code)
    }

    /// Whether bytes are text: UTF-8 without control characters other than line breaks.
    static func isText(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case 0x09, 0x0A, 0x0C, 0x0D, 0x1E, 0x20..<0x7F, 0x80...: break
            default: return false
            }
        }
        return String(validating: Array(copying: bytes), as: UTF8.self) != nil
    }

    /// Decodes the codings of a body.
    mutating func decoded(_ body: Body) -> (bytes: [UInt8], codings: [ContentCoding])? {
        let codings = body.coding.isEmpty ? [] : ContentCoding.list(body.coding.span)
        guard !codings.isEmpty else { return (body.bytes, []) }
        guard let bytes = try? coder.decode(body.bytes.span, codings) else { return nil }
        return (bytes, codings)
    }

    /// Encodes a body in its codings again.
    mutating func encoded(_ bytes: [UInt8], _ codings: [ContentCoding]) -> [UInt8]? {
        codings.isEmpty ? bytes : try? coder.encode(bytes, codings)
    }
}

// MARK: - Connections

extension StrictRedactor {
    private mutating func redact(_ connection: inout Connection) {
        connection.client = address(connection.client)
        connection.server = address(connection.server)
        if let tls = connection.tls { connection.tls = redacted(tls) }
        if let tls = connection.serverTLS { connection.serverTLS = redacted(tls) }
    }

    /// Returns an address with its host replaced and its port kept.
    private mutating func address(_ text: String) -> String {
        let bytes = text.utf8.span
        guard !bytes.isEmpty, !isReplacement(bytes) else { return text }
        let (host, port) = Self.split(bytes)
        var output: [UInt8] = []
        let isBracketed = bytes[0] == .ascii("[")
        if isBracketed { output.append(.ascii("[")) }
        hits.append(strict.connection.index)
        output += replacement.standIn(ofHost: bytes.extracting(host))
        if isBracketed { output.append(.ascii("]")) }
        if !port.isEmpty {
            output.append(.ascii(":"))
            output.append(copying: bytes.extracting(port))
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func redacted(_ tls: TLSInfo) -> TLSInfo {
        TLSInfo(
            version: known(ByteString(tls.version)) { $0.words.isValue($1) }
                .description,
            cipher: known(ByteString(tls.cipher)) { Self.isCipher($1, $0.words) }
                .description,
            sni: changed(ByteString(tls.sni)) { $0.host($1, into: &$2) }.description,
            alpn: known(ByteString(tls.alpn)) { $0.words.isValue($1) }
                .description,
            handshake: tls.handshake
        )
    }

    /// Whether the name of a cipher suite consists of known parts.
    private static func isCipher(_ name: Span<UInt8>, _ words: StrictWords) -> Bool {
        var start = 0
        while start <= name.count {
            var end = start
            while end < name.count, Pseudonyms.isAlphanumeric(name[end]) { end += 1 }
            guard words.isCipherPart(name.extracting(start..<end)) else { return false }
            start = end + 1
        }
        return name.count < 64
    }
}
