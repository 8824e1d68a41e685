// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
package import TaplineModel

/// One line that a child has written.
package enum ChildLine: Sendable {
    /// It introduces itself.
    case hello(ChildHello)
    /// It answers a call.
    case answer(UInt64, Answer)
    /// It hands over an exchange, and wants this number confirmed.
    indirect case record(UInt64?, Exchange)
    /// It has no more to say.
    case end

    /// The answer to a call.
    package enum Answer: Sendable {
        /// The record is kept as it is, or the exchange goes on.
        case keep
        /// The record is not kept, for this reason.
        case drop(String)
        /// The record is replaced.
        indirect case record(Exchange)
        /// The batch is stored; this many of its records were there before.
        case done(duplicates: Int)
        /// The request or the response is replaced.
        indirect case changed(Request?, Response?)
        /// The client gets this response.
        indirect case respond(Response)
        /// The connection is closed.
        case abort
        /// The call has failed.
        case failed(ProcessPluginError)
    }
}

/// Reads the lines of a child.
///
/// **Isolation**: one thread at a time.
package struct ChildLineReader: ~Copyable {
    private var parser = JSONParser(maxDepth: 128, surrogates: .replace)
    private let role: ProcessRole

    /// Creates a reader for a role.
    package init(_ role: ProcessRole) { self.role = role }

    /// Reads one line.
    ///
    /// - Throws: `ProcessPluginError` that names keys, never values.
    package mutating func read(_ line: Span<UInt8>) throws(ProcessPluginError) -> ChildLine {
        do throws(RecordError) {
            return try Self.read(line, &parser, role)
        } catch {
            throw ProcessPluginError("\(error)")
        }
    }

    /// The number of a call in a line that could not be read otherwise.
    package mutating func number(in line: Span<UInt8>) -> UInt64? {
        guard let document = try? parser.parse(line) else { return nil }
        return document.root.member("n")?.asUInt64
    }

    private static func read(
        _ line: Span<UInt8>,
        _ parser: inout JSONParser,
        _ role: ProcessRole
    ) throws(RecordError) -> ChildLine {
        let document: JSONDocument
        do {
            document = try parser.parse(line)
        } catch {
            throw RecordError(code: .notJSON, message: error.message, byte: error.offset)
        }
        let root = document.root
        guard root.kind == .object else { throw problem(root, "expected an object") }
        if let word = root.member("tapline") {
            if word.matches("hello") { return .hello(try hello(root)) }
            if word.matches("end") { return .end }
            throw problem(word, "unknown word in 'tapline'; expected hello or end")
        }
        if role == .source {
            guard let value = root.member("record") else {
                throw problem(root, "missing key 'record'")
            }
            var exchange = Exchange(id: ExchangeID(high: 0, low: 0))
            try value.readRecord(into: &exchange)
            return .record(root.member("n")?.asUInt64, exchange)
        }
        guard let number = root.member("n")?.asUInt64 else {
            throw problem(root, "missing key 'n', the number of a call")
        }
        return .answer(number, try answer(root))
    }

    private static func hello(_ root: JSONValue) throws(RecordError) -> ChildHello {
        guard let version = root.member("protocol")?.asInt64 else {
            throw problem(root, "missing key 'protocol'; expected 1")
        }
        guard version == 1 else {
            throw problem(root, "unknown protocol; found \(version), expected 1")
        }
        var hello = ChildHello()
        hello.name = root.member("name")?.asString ?? ""
        hello.version = root.member("version")?.asString ?? ""
        if let kinds = root.member("kinds") { hello.kinds = texts(kinds) }
        if let capabilities = root.member("capabilities") {
            hello.capabilities = Set(texts(capabilities))
        }
        return hello
    }

    private static func texts(_ value: JSONValue) -> [String] {
        var texts: [String] = []
        var elements = value.elements
        while let element = elements.next() {
            if let text = element.asString { texts.append(text) }
        }
        return texts
    }

    private static func answer(_ root: JSONValue) throws(RecordError) -> ChildLine.Answer {
        if let error = root.member("error"), !error.isNull {
            let isFinal = root.member("retry")?.asBool == false
            return .failed(ProcessPluginError(text(error), isFinal: isFinal))
        }
        if root.member("keep")?.asBool == true { return .keep }
        if let reason = root.member("drop"), !reason.isNull { return .drop(text(reason)) }
        if let value = root.member("record"), !value.isNull {
            var exchange = Exchange(id: ExchangeID(high: 0, low: 0))
            try value.readRecord(into: &exchange)
            return .record(exchange)
        }
        if root.member("ok")?.asBool == true {
            let count = root.member("duplicates")?.asInt64 ?? 0
            return .done(duplicates: Int(clamping: max(count, 0)))
        }
        if let verdict = root.member("verdict") { return try wire(verdict, root) }
        throw problem(root, "no answer; expected keep, drop, record, ok, verdict or error")
    }

    private static func wire(
        _ verdict: JSONValue,
        _ root: JSONValue
    ) throws(RecordError) -> ChildLine.Answer {
        if verdict.matches("abort") { return .abort }
        if verdict.matches("respond") {
            guard let value = root.member("response") else {
                throw problem(root, "missing key 'response'")
            }
            return .respond(try value.readResponse())
        }
        if verdict.matches("drop") {
            guard let reason = root.member("reason") else { return .drop("dropped") }
            return .drop(text(reason))
        }
        guard verdict.matches("pass") else {
            throw problem(verdict, "unknown 'verdict'; expected pass, respond, drop or abort")
        }
        var request: Request?
        if let value = root.member("request"), !value.isNull {
            var changed = Request()
            try value.readRequest(into: &changed)
            request = changed
        }
        var response: Response?
        if let value = root.member("response"), !value.isNull {
            response = try value.readResponse()
        }
        return request == nil && response == nil ? .keep : .changed(request, response)
    }

    /// A plugin author's text for logs and counters: short and without control characters.
    private static func text(_ value: JSONValue) -> String {
        String((value.asString ?? "no reason").prefix(200)).showingControls([:])
    }

    private static func problem(_ value: JSONValue, _ message: String) -> RecordError {
        RecordError(code: .wrongShape, message: message, byte: value.offset)
    }
}
