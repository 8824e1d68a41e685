// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin

/// Removes the secrets that rules name or detectors find from all parts of an exchange.
///
/// **Shape**: one for each lane; it keeps its buffers and the texts without findings across
/// exchanges.
struct Redactor {
    let rules: RuleSet
    var edits = EditList()
    var json = JSONEditor()
    var counter: RuleCounter
    var search: SecretSearch
    var coder: BodyCoder
    var charsets = CharsetConverters()
    /// What determines the types of protobuf messages.
    var call = ProtobufCall()
    /// The label of the last body with a type.
    var knownLabel = ContentLabel(type: Span())
    /// The short texts of the current exchange, and in which of them detectors find something.
    private var shortTexts = DetectorBatch()
    /// Whether the current text is one of these.
    private var isShort = false
    /// Fields, authorities and targets without findings.
    private var plain = ByteMemo<Bool>(slots: 256, room: 192)
    /// The kinds of fields, by their names.
    private var kinds = ByteMemo<FieldKind>(slots: 1024, room: 32)
    private var scratch: [UInt8] = []

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

    /// Returns a text with the edits that were found in it, and counts them.
    mutating func applyEdits(to bytes: Span<UInt8>) -> [UInt8] {
        counter.count(edits)
        return edits.apply(to: bytes)
    }

    /// Returns the edits that a function finds, apart from those that were found before.
    mutating func collect(_ find: (inout Redactor) -> Void) -> EditList {
        let outer = exchange(&edits, with: EditList())
        find(&self)
        return exchange(&edits, with: outer)
    }

    /// Redacts everything that a sink would see.
    mutating func redact(_ exchange: inout Exchange) {
        search.beginExchange()
        call.target = exchange.request.target
        let types = exchange.messages.isEmpty ? nil : GRPCTypes(exchange)
        if search.hasDetectors { searchShortTexts(of: exchange) }
        isShort = true
        redact(&exchange.request)
        // In place, since moving a response out and back costs as much as two fields.
        exchange.response?.redact(by: &self)
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
        redact(&exchange.messages, types)
        if exchange.hasExtra { redactExtra(of: &exchange) }
        redactHAR(of: &exchange)
    }

    /// Redacts the parts that only HAR has, which are JSON.
    private mutating func redactHAR(of exchange: inout Exchange) {
        guard !exchange.har.isEmpty else { return }
        var bytes = Array(copying: exchange.har.span)
        redactMessage(&bytes)
        exchange.har = ByteString(bytes)
    }

    /// Whether detectors have to search a text.
    @inline(__always)
    func scans(_ text: Span<UInt8>) -> Bool {
        search.hasDetectors && (!isShort || shortTexts.isSuspect(text))
    }

    /// Runs the detectors over all short texts at once.
    private mutating func searchShortTexts(of exchange: borrowing Exchange) {
        shortTexts.removeAll()
        addName(exchange.request.method.span)
        if exchange.request.version.isOddVersion { add(exchange.request.version.span) }
        add(exchange.request.target.span, .target)
        add(exchange.request.authority.span, .authority)
        add(exchange.request.fields)
        add(exchange.request.trailers)
        addTexts(of: exchange.request.body)
        exchange.response?.addTexts(to: &self)
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

    fileprivate mutating func addTexts(of response: borrowing Response) {
        add(response.reason.span, .reason)
        if response.version.isOddVersion { add(response.version.span) }
        add(response.fields)
        add(response.trailers)
        addTexts(of: response.body)
        for interim in response.interim {
            add(interim.reason.span, .reason)
            add(interim.fields)
        }
    }

    private mutating func addTexts(of body: borrowing Body) {
        if !body.contentType.isEmpty { add(body.contentType.span) }
        if !body.coding.isEmpty, ContentCoding.list(body.coding.span).contains(.unknown) {
            add(body.coding.span)
        }
    }

    private mutating func add(_ text: Span<UInt8>) {
        if !text.isEmpty { shortTexts.append(text) }
    }

    private mutating func add(_ text: Span<UInt8>, _ part: PlainPart) {
        if plain.value(of: text, mark: part.rawValue) == nil { add(text) }
    }

    private mutating func add(_ fields: borrowing FieldSection) {
        for position in 0..<fields.count where !isPlain(fields, position) {
            let name = fields.name(at: position)
            addName(name)
            // Fields that a rule replaces whole, above all credentials, need no search.
            if case .redact? = kind(of: name).treatment { continue }
            add(fields.value(at: position))
        }
    }

    /// Adds a name, which may be a secret unless it consists of letters and is short.
    private mutating func addName(_ name: Span<UInt8>) {
        if name.count >= Redactor.shortestSecretName || !Redactor.isWord(name) { add(name) }
    }

    private static let shortestSecretName = 12

    /// Whether a name has only letters and hyphens, like the names of common fields.
    private static func isWord(_ name: Span<UInt8>) -> Bool {
        for index in name.indices {
            let byte = name[index]
            guard 0x61...0x7A ~= byte | 0x20 || byte == .ascii("-") else { return false }
        }
        return true
    }

    private mutating func redact(_ request: inout Request) {
        request.method = redactedName(request.method)
        if request.version.isOddVersion { request.version = redactedName(request.version) }
        redactAuthority(&request)
        // The target of CONNECT is an authority (RFC 9112 §3.2.3).
        let isAuthority = request.method.span.equals("CONNECT")
        let target = edited(request.target, .url, isAuthority ? nil : .target) {
            if isAuthority { $0.editUserInfo($1, $2, &$3) }
            if $3.isEmpty { $0.editURL($1, $2, &$3) }
            if $3.isEmpty, $1.hasBlank { $0.editShortText($1, $2, .plain, &$3) }
        }
        if let target { request.target = target }
        call.isRequest = true
        redact(&request.fields)
        redact(&request.trailers)
        redact(&request.body, request.fields)
    }

    fileprivate mutating func redact(_ response: inout Response) {
        if response.version.isOddVersion { response.version = redactedName(response.version) }
        call.isRequest = false
        redact(reason: &response.reason)
        redact(&response.fields)
        redact(&response.trailers)
        for position in response.interim.indices {
            redact(reason: &response.interim[position].reason)
            redact(&response.interim[position].fields)
        }
        redact(&response.body, response.fields)
    }

    private mutating func redact(reason: inout ByteString) {
        guard reason.count > 4 else { return }
        let changed = edited(reason, .plain, .reason) {
            $0.editShortText($1, $2, .plain, &$3)
        }
        if let changed { reason = changed }
    }

    /// Returns a copy of a field's value that is kept beside the fields, redacted like the field.
    mutating func redactedCopy(_ value: ByteString, of name: String) -> ByteString {
        guard !value.isEmpty else { return value }
        var fields = FieldSection()
        fields.append(name: name.utf8.span, value: value.span)
        redact(&fields)
        return fields.first(name) ?? ByteString()
    }

    private mutating func redactAuthority(_ request: inout Request) {
        let changed = edited(request.authority, .url, .authority) { $0.editUserInfo($1, $2, &$3) }
        if let changed { request.authority = changed }
    }

    private mutating func redactedURL(_ url: ByteString) -> ByteString {
        edited(url, .url) { $0.editURL($1, $2, &$3) } ?? url
    }

    mutating func redactedName(_ name: String) -> String {
        guard name.utf8.span.isImplausibleName || scans(name.utf8.span) else { return name }
        return redactedName(ByteString(name)).description
    }

    /// Returns a name without the secrets that detectors find in it; anything that is not a name is
    /// read as text.
    private mutating func redactedName(_ name: ByteString) -> ByteString {
        let isOdd = name.span.isImplausibleName
        guard isOdd || scans(name.span) else { return name }
        return edited(name, .plain) {
            if isOdd { $0.editShortText($1, $2, .plain, &$3) }
        } ?? name
    }

    /// Returns a string with the edits that a function finds; `nil` if there are none.
    private mutating func edited(
        _ text: ByteString,
        _ place: TextPlace,
        _ part: PlainPart? = nil,
        _ edit: (RuleSet, Span<UInt8>, Range<Int>, inout EditList) -> Void
    ) -> ByteString? {
        let bytes = text.span
        if let part, plain.value(of: bytes, mark: part.rawValue) != nil { return nil }
        edits.reset()
        edit(rules, bytes, 0..<bytes.count, &edits)
        search.edit(bytes, 0..<bytes.count, place, scans: scans(bytes), &edits)
        guard edits.isEmpty else { return ByteString(applyEdits(to: bytes)) }
        if let part, !shortTexts.hasSuspects { plain.note(true, of: bytes, mark: part.rawValue) }
        return nil
    }
}

// MARK: - Fields

extension Redactor {
    private mutating func redact(_ fields: inout FieldSection) {
        if shortTexts.hasSuspects { redactNames(of: &fields) }
        var removed: [Int] = []
        var hasOddNames = false
        for position in fields.indices where !isPlain(fields, position) {
            let kind = kind(of: fields.name(at: position))
            if kind.isOdd { hasOddNames = true }
            if case .redact(let rule)? = kind.treatment {
                if rule.harmless.contains(fields.value(at: position)) { continue }
                counter.count(rule.index)
                if rule.action == .remove {
                    removed.append(position)
                } else {
                    replaceValue(at: position, of: &fields, rule)
                }
                continue
            }
            edits.reset()
            if findEdits(fields.value(at: position), kind.treatment) {
                counter.count(edits)
                removed.append(position)
            } else if !edits.isEmpty {
                counter.count(edits)
                edits.apply(to: fields.value(at: position), into: &scratch)
                fields.replaceValue(at: position, with: scratch.span)
            } else if !kind.isOdd, !shortTexts.hasSuspects {
                let entry = fields.entrySpan[position]
                let field = fields.byteSpan.extracting(Int(entry.start)..<entry.value.upperBound)
                plain.note(true, of: field, mark: Int(entry.nameCount))
            }
        }
        if !removed.isEmpty { fields.remove(at: removed) }
        if hasOddNames { redactNames(of: &fields) }
    }

    /// Whether a field is known to have no findings.
    @inline(__always)
    private func isPlain(_ fields: borrowing FieldSection, _ position: Int) -> Bool {
        let entry = fields.entrySpan[position]
        let field = fields.byteSpan.extracting(Int(entry.start)..<entry.value.upperBound)
        return plain.value(of: field, mark: Int(entry.nameCount)) != nil
    }

    /// Replaces the whole value of a field according to a rule.
    private mutating func replaceValue(
        at position: Int,
        of fields: inout FieldSection,
        _ rule: Rule
    ) {
        scratch.removeAll(keepingCapacity: true)
        rules.report(fields.value(at: position), rule)
        rules.replacement
            .append(rule.action, of: fields.value(at: position), as: .plain, to: &scratch)
        fields.replaceValue(at: position, with: scratch.span)
    }

    /// Returns the kind of a field, by its name.
    private mutating func kind(of name: Span<UInt8>) -> FieldKind {
        if let known = kinds.value(of: name) { return known }
        let found = FieldKind(treatment: rules.treatment(of: name), isOdd: name.isImplausibleName)
        kinds.note(found, of: name)
        return found
    }

    /// Removes the findings of detectors from the names of fields.
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

    /// Finds the edits of a field's value; returns whether the whole field is to be removed.
    mutating func findEdits(
        _ value: Span<UInt8>,
        _ treatment: FieldTreatment?
    ) -> Bool {
        let whole = 0..<value.count
        var place = TextPlace.plain
        switch treatment {
        case .redact(let rule):
            rules.replace(value, whole, rule, .plain, &edits)
            return rule.action == .remove
        case .cookies:
            rules.editCookies(value, whole, &edits)
            if !edits.isEmpty, edits.removesAll(of: value) { return true }
        case .setCookie:
            if rules.editSetCookie(value, whole, &edits) { return true }
        case .url:
            rules.editURL(value, whole, &edits)
            if edits.isEmpty, value.hasBlank { editField(value) }
            place = .url
        case .authority:
            rules.editUserInfo(value, whole, &edits)
        case .protocols:
            rules.credentials.editProtocols(value, whole, rules, &edits)
            if edits.isEmpty { editField(value) }
        case .encodedMessage: if editEncodedMessage(value) { return false }
        case .binary:
            editBinary(value)
            let found = exchange(&edits, with: EditList())
            editField(value)
            edits.merge(found)
        case nil:
            editField(value)
        }
        search.edit(value, whole, place, scans: scans(value), &edits)
        return false
    }
}

// MARK: - Text

extension Redactor {
    /// Redacts tags or other notes: whole if a rule names them, otherwise as text.
    mutating func redact(_ tags: inout Tags) {
        guard !tags.isEmpty, !tags.allSatisfy({ isPlain($0.name, $0.value) }) else { return }
        for tag in Array(tags) {
            let name = redactedText(tag.name)
            if name != tag.name {
                tags[tag.name] = nil
                tags[name] = tag.value
            }
            guard let rule = rules.rule(forTag: tag.name),
                !rule.harmless.contains(tag.value.utf8.span)
            else {
                let text = redactedText(tag.value)
                if text != tag.value {
                    tags[name] = text
                } else if name == tag.name, !shortTexts.hasSuspects {
                    let mark = layOut(tag.name, tag.value)
                    let known = scratch
                    plain.note(true, of: known.span, mark: mark)
                }
                continue
            }
            tags[name] = redactedCopy(tag.value, rule)
        }
    }

    /// Whether a tag is known to have no findings.
    private mutating func isPlain(_ name: String, _ value: String) -> Bool {
        let mark = layOut(name, value)
        return plain.value(of: scratch.span, mark: mark) != nil
    }

    /// Writes a tag to `scratch` in the form that the cache of decisions uses.
    ///
    /// - Returns: The mark, which identifies where the name ends and distinguishes tags from
    ///   fields.
    private mutating func layOut(_ name: String, _ value: String) -> Int {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(copying: name.utf8.span)
        scratch.append(copying: value.utf8.span)
        return name.utf8.count | 1 << 31
    }

    mutating func redactedText(_ text: String) -> String {
        guard !text.isEmpty else { return text }
        var bytes = Array(text.utf8)
        redactMessage(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Redacts a message without a declared type: as JSON if it looks like JSON, otherwise as text.
    ///
    /// `data` is searched for names only if it is text. Returns whether the message was read as
    /// JSON.
    @discardableResult
    mutating func redactMessage(_ bytes: inout [UInt8], isData: Bool = false) -> Bool {
        var isJSON = false
        edits.reset()
        search.budget.beginBody(bytes.count)
        let scans = scans(bytes.span)
        let range = Redactor.rangeAfterPacketNumber(bytes.span)
        if let form = search.finder.wholeForm(of: bytes.span) {
            editWhole(bytes.span, range, form, ContentLabel(type: Span()))
        } else if JSONText.isLikely(bytes.span, range) {
            isJSON = true
            json.edit(bytes.span, range, rules, &edits)
            GraphQLEditor(rules).edit(bytes.span, range, &edits)
            search.edit(bytes.span, range, .json, scans: scans, &edits)
        } else if isData, !Readability.isText(bytes.span) {
            editUnreadable(bytes.span, 0..<bytes.count, ContentLabel(type: Span()))
        } else {
            rules.editShortText(bytes.span, range, .plain, &edits)
            editMarkup(bytes.span, range)
            search.edit(bytes.span, range, .plain, scans: scans, &edits)
        }
        if !edits.isEmpty { bytes = applyEdits(to: bytes.span) }
        return isJSON
    }

    /// Skips the digits that Socket.IO writes before its JSON: `42["event",{}]`.
    private static func rangeAfterPacketNumber(_ bytes: Span<UInt8>) -> Range<Int> {
        var start = 0
        while start < bytes.count, start < 20, 0x30...0x39 ~= bytes[start] { start += 1 }
        let isPacket = start < bytes.count && bytes[start] == .ascii("[")
        return (isPacket ? start : 0)..<bytes.count
    }
}

extension Response {
    fileprivate mutating func redact(by redactor: inout Redactor) { redactor.redact(&self) }

    fileprivate func addTexts(to redactor: inout Redactor) { redactor.addTexts(of: self) }
}

/// The cache entries other than fields, as marks that are not lengths of field names.
private enum PlainPart: Int {
    case authority = 0xFFFF_FFFF
    case target = 0xFFFF_FFFE
    case reason = 0xFFFF_FFFD
}

extension ByteString {
    /// Whether an HTTP version is longer than any valid one, as in recordings of other tools.
    fileprivate var isOddVersion: Bool { count > "HTTP/1.1".utf8.count }
}
