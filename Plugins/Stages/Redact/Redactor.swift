// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin

/// Takes the secrets that rules name, or that detectors find, out of all parts of an exchange.
///
/// **Shape**: one for each lane; between two exchanges it keeps nothing but room.
struct Redactor {
    let rules: RuleSet
    var edits = EditList()
    var json = JSONEditor()
    var counter: RuleCounter
    var search: SecretSearch
    var coder: BodyCoder
    /// The short texts of the present exchange, and in which of them detectors find something.
    private var shortTexts = JoinedTexts()
    /// Whether the present text is one of these.
    private var isShort = false

    init(
        _ rules: RuleSet,
        _ counter: RuleCounter,
        _ scanner: (any SecretScanner)?,
        joins: Bool = false
    ) {
        self.rules = rules
        self.counter = counter
        search = SecretSearch(rules, scanner, joins: joins)
        coder = BodyCoder(maxDecodedBytes: rules.limits.maxDecodedBytes)
    }

    /// A text with the edits made that were found in it; they are counted.
    mutating func made(on bytes: Span<UInt8>) -> [UInt8] {
        counter.count(edits)
        return edits.apply(to: bytes)
    }

    /// Redacts everything that a sink would see.
    mutating func redact(_ exchange: inout Exchange) {
        counter.begin()
        searchShortTexts(of: exchange)
        isShort = true
        redact(&exchange.request)
        if var response = exchange.response.take() {
            redact(&response)
            exchange.response = response
        }
        if let url = exchange.original.url {
            exchange.original.url = redactedURL(url)
        }
        if let method = exchange.original.method { exchange.original.method = redactedName(method) }
        redact(&exchange.connection)
        redact(&exchange.tags)
        if let error = exchange.error {
            exchange.error = ExchangeError(
                code: redactedText(error.code),
                message: redactedText(error.message)
            )
        }
        isShort = false
        redact(&exchange.messages)
    }

    /// Whether detectors have to search a text.
    private func scans(_ text: Span<UInt8>) -> Bool {
        search.hasDetectors && (!isShort || shortTexts.isSuspect(text))
    }

    /// Has the detectors search what is short, in one go.
    private mutating func searchShortTexts(of exchange: borrowing Exchange) {
        guard search.hasDetectors else { return }
        shortTexts.removeAll()
        addName(exchange.request.method.span)
        add(exchange.request.target.span)
        add(exchange.request.authority.span)
        add(exchange.request.fields)
        add(exchange.request.trailers)
        if let response = exchange.response {
            add(response.reason.span)
            add(response.fields)
            add(response.trailers)
            for interim in response.interim { add(interim.fields) }
        }
        if let url = exchange.original.url { add(url.span) }
        if let method = exchange.original.method { addName(method.span) }
        for text in exchange.connection.names { add(text.utf8.span) }
        for tag in exchange.tags {
            add(tag.name.utf8.span)
            add(tag.value.utf8.span)
        }
        if let error = exchange.error {
            add(error.code.utf8.span)
            add(error.message.utf8.span)
        }
        search.noteFindings(in: &shortTexts)
    }

    private mutating func add(_ text: Span<UInt8>) {
        if !text.isEmpty { shortTexts.append(text) }
    }

    private mutating func add(_ fields: borrowing FieldSection) {
        for position in 0..<fields.count {
            let name = fields.name(at: position)
            addName(name)
            // What a rule replaces whole, credentials above all, needs no search.
            if case .redact? = rules.treatment(of: name) { continue }
            add(fields.value(at: position))
        }
    }

    /// Names may be secrets too, but short ones of letters are not.
    private mutating func addName(_ name: Span<UInt8>) {
        if name.count >= Redactor.shortestSecretName || !Redactor.isWord(name) { add(name) }
    }

    private static let shortestSecretName = 12

    /// Whether there are but letters and hyphens, as in the names of common fields.
    private static func isWord(_ name: Span<UInt8>) -> Bool {
        for index in name.indices {
            let byte = name[index]
            guard 0x61...0x7A ~= byte | 0x20 || byte == .ascii("-") else { return false }
        }
        return true
    }

    private mutating func redact(_ request: inout Request) {
        request.method = redactedName(request.method)
        redactAuthority(&request)
        // The target of CONNECT is an authority (RFC 9112 §3.2.3).
        let isAuthority = request.method == "CONNECT"
        let target = edited(request.target, .url) { rules, bytes, range, edits in
            if isAuthority { rules.editUserInfo(bytes, range, &edits) }
            if edits.isEmpty { rules.editURL(bytes, range, &edits) }
        }
        if let target { request.target = target }
        redact(&request.fields)
        redact(&request.trailers)
        redact(&request.body, request.fields)
    }

    private mutating func redact(_ response: inout Response) {
        if response.reason.count > 4,
            let reason = edited(
                response.reason,
                .plain,
                { TextEditor(rules: $0).edit($1, $2, &$3) }
            )
        {
            response.reason = reason
        }
        redact(&response.fields)
        redact(&response.trailers)
        for position in response.interim.indices { redact(&response.interim[position].fields) }
        redact(&response.body, response.fields)
    }

    private mutating func redactAuthority(_ request: inout Request) {
        if let authority = edited(request.authority, .url, { $0.editUserInfo($1, $2, &$3) }) {
            request.authority = authority
        }
    }

    private mutating func redactedURL(_ url: ByteString) -> ByteString {
        edited(url, .url, { $0.editURL($1, $2, &$3) }) ?? url
    }

    /// Redacts addresses and server names, which detectors alone can concern.
    private mutating func redact(_ connection: inout Connection) {
        guard search.hasDetectors else { return }
        connection.client = redactedName(connection.client)
        connection.server = redactedName(connection.server)
        if let tls = connection.tls { connection.tls = redacted(tls) }
        if let tls = connection.serverTLS { connection.serverTLS = redacted(tls) }
    }

    private mutating func redacted(_ tls: TLSInfo) -> TLSInfo {
        let sni = redactedName(tls.sni)
        guard sni != tls.sni else { return tls }
        return TLSInfo(version: tls.version, cipher: tls.cipher, sni: sni, alpn: tls.alpn)
    }

    private mutating func redactedName(_ name: String) -> String {
        guard scans(name.utf8.span) else { return name }
        return redactedName(ByteString(name)).description
    }

    /// A name without the secrets that detectors find in it.
    private mutating func redactedName(_ name: ByteString) -> ByteString {
        guard scans(name.span) else { return name }
        return edited(name, .plain, { _, _, _, _ in }) ?? name
    }

    /// A string with the edits that a function finds; nothing where it finds none.
    private mutating func edited(
        _ text: ByteString,
        _ place: TextPlace,
        _ edit: (RuleSet, Span<UInt8>, Range<Int>, inout EditList) -> Void
    ) -> ByteString? {
        edits.reset()
        let bytes = text.span
        edit(rules, bytes, 0..<bytes.count, &edits)
        search.edit(bytes, 0..<bytes.count, place, scans: scans(bytes), &edits)
        return edits.isEmpty ? nil : ByteString(made(on: bytes))
    }
}

// MARK: - Fields

extension Redactor {
    private mutating func redact(_ fields: inout FieldSection) {
        if shortTexts.hasSuspects { redactNames(of: &fields) }
        var removed: [Int] = []
        for position in fields.indices {
            edits.reset()
            if findEdits(fields.name(at: position), fields.value(at: position)) {
                counter.count(edits)
                removed.append(position)
            } else if !edits.isEmpty {
                let changed = made(on: fields.value(at: position))
                fields.replaceValue(at: position, with: changed.span)
            }
        }
        if !removed.isEmpty { fields.remove(at: removed) }
    }

    /// Takes out of the names what detectors find there.
    private mutating func redactNames(of fields: inout FieldSection) {
        var changed: FieldSection?
        for position in 0..<fields.count {
            let name = ByteString(Array(copying: fields.name(at: position)))
            let clean = redactedName(name)
            if changed == nil, clean != name {
                var start = FieldSection()
                for earlier in 0..<position {
                    start.append(name: fields.name(at: earlier), value: fields.value(at: earlier))
                }
                changed = start
            }
            changed?.append(name: clean.span, value: fields.value(at: position))
        }
        if let changed { fields = changed }
    }

    /// Finds the edits of a field's value; returns whether the whole field goes.
    private mutating func findEdits(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        let whole = 0..<value.count
        var place = TextPlace.plain
        switch rules.treatment(of: name) {
        case .redact(let rule) where rule.action == .remove:
            edits.remove(whole, rule)
            return true
        case .redact(let rule):
            rules.replace(value, whole, rule, .plain, &edits)
            return false
        case .cookies:
            rules.editCookies(value, whole, &edits)
            if !edits.isEmpty, edits.removesAll(of: value) { return true }
        case .setCookie:
            if rules.editSetCookie(value, whole, &edits) { return true }
        case .url:
            rules.editURL(value, whole, &edits)
            place = .url
        case .authority:
            rules.editUserInfo(value, whole, &edits)
        case .protocols:
            rules.credentials.editProtocols(value, whole, rules, &edits)
            if edits.isEmpty { editText(value) }
        case nil:
            editText(value)
        }
        search.edit(value, whole, place, scans: scans(value), &edits)
        return false
    }

    private mutating func editText(_ value: Span<UInt8>) {
        if rules.credentials.edit(value, 0..<value.count, .plain, rules, &edits) { return }
        if value.hasNameHint() {
            TextEditor(rules: rules, isQuery: true).edit(value, 0..<value.count, &edits)
        } else if TextEditor.mayHoldWords(value) {
            TextEditor(rules: rules, isProse: true).edit(value, 0..<value.count, &edits)
        }
    }
}

// MARK: - Text

extension Redactor {
    /// Redacts tags, or other notes: whole where a rule names them, otherwise as text.
    mutating func redact(_ tags: inout Tags) {
        for tag in Array(tags) {
            let name = redactedName(ByteString(tag.name)).description
            if name != tag.name {
                tags[tag.name] = nil
                tags[name] = tag.value
            }
            guard let rule = rules.text.rule(forNested: tag.name.utf8.span) else {
                let text = redactedText(tag.value)
                if text != tag.value { tags[name] = text }
                continue
            }
            counter.count(rule.index)
            guard rule.action != .remove else {
                tags[name] = nil
                continue
            }
            var output: [UInt8] = []
            rules.replacement.append(rule.action, of: tag.value.utf8.span, as: .plain, to: &output)
            tags[name] = String(decoding: output, as: UTF8.self)
        }
    }

    private mutating func redactedText(_ text: String) -> String {
        guard !text.isEmpty else { return text }
        var bytes = Array(text.utf8)
        redactMessage(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Redacts a message of no told type: JSON where it looks so, otherwise text; tells whether it
    /// was read as JSON.
    @discardableResult
    mutating func redactMessage(_ bytes: inout [UInt8]) -> Bool {
        var isJSON = false
        edits.reset()
        let scans = scans(bytes.span)
        let range = Redactor.behindPacketNumber(bytes.span)
        if let form = search.finder.wholeForm(of: bytes.span) {
            editWhole(bytes.span, range, form, ContentLabel(type: Span()))
        } else if JSONText.isLikely(bytes.span, range) {
            isJSON = true
            json.edit(bytes.span, range, rules, &edits)
            search.edit(bytes.span, range, .json, scans: scans, &edits)
        } else {
            TextEditor(rules: rules).edit(bytes.span, range, &edits)
            editMarkup(bytes.span, range)
            search.edit(bytes.span, range, .plain, scans: scans, &edits)
        }
        if !edits.isEmpty { bytes = made(on: bytes.span) }
        return isJSON
    }

    /// Socket.IO writes digits before its JSON: `42["event",{}]`.
    private static func behindPacketNumber(_ bytes: Span<UInt8>) -> Range<Int> {
        var start = 0
        while start < bytes.count, start < 20, 0x30...0x39 ~= bytes[start] { start += 1 }
        let isPacket = start < bytes.count && bytes[start] == .ascii("[")
        return (isPacket ? start : 0)..<bytes.count
    }
}

extension Connection {
    /// What is known of it by name.
    fileprivate var names: [String] {
        [client, server, tls?.sni ?? "", serverTLS?.sni ?? ""]
    }
}
