// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineStore

/// `tapline store info STORE`.
enum StoreInfoAction {
    /// The formats of the sizes.
    enum Format: String, CaseIterable {
        case table
        case json
    }

    /// How many hosts are shown without `--hosts`.
    private static let shownHosts = 20

    static func run(_ invocation: Invocation) throws -> ExitCode {
        let hosts = try invocation.number("hosts")
        let format = invocation.value("format").flatMap(Format.init(rawValue:)) ?? .table
        let path = try StoreCommand.path(invocation)
        let info = try StoreCare(path).info()
        switch format {
        case .table:
            var text = TerminalText(isColoured: invocation.usesColours)
            write(info, hosts: hosts ?? shownHosts, to: &text)
            invocation.console.write(text.bytes)
        case .json: invocation.console.write(json(info, hosts: hosts ?? .max))
        }
        StoreLeftovers.warn(of: path, on: invocation.console)
        return .success
    }

    // MARK: Text

    private static func write(_ info: StoreInfo, hosts: Int, to text: inout TerminalText) {
        func row(_ name: String, _ value: String) {
            text.put(Columns.pad(name, to: 28), .dim)
            text.put(value)
            text.newLine()
        }
        row("schema", "\(info.schema)")
        row("exchanges", "\(info.exchanges)")
        if let first = info.first, let last = info.last {
            row("started", "\(first.rfc3339) to \(last.rfc3339)")
        }
        row("database", Quantities.size(info.database))
        for (kind, bytes) in info.kinds { row("  \(kind.rawValue)", Quantities.size(bytes)) }
        row("  free", Quantities.size(info.free))
        row("log", Quantities.size(info.log))
        row(
            "body files",
            "\(Quantities.size(info.files.bytes)) in \(Counted.text(info.files.count, "file"))"
        )
        if let index = info.textIndex {
            let kind = index.kind.map { "\($0.rawValue), " } ?? ""
            let condition = IndexCommand.condition(of: index)
            row("full-text index", "\(Quantities.size(index.bytes)), \(kind)\(condition)")
        }
        if hosts > 0, !info.hosts.isEmpty { write(info.hosts, atMost: hosts, to: &text) }
    }

    /// Writes the largest hosts, and the sum of the others.
    private static func write(
        _ hosts: [StoreInfo.Host],
        atMost limit: Int,
        to text: inout TerminalText
    ) {
        func row(_ exchanges: String, _ heads: String, _ bodies: String) {
            text.put(Columns.padLeft(exchanges, to: 10))
            text.put(Columns.padLeft(heads, to: 11))
            text.put(Columns.padLeft(bodies, to: 11))
            text.put("  ")
        }
        text.newLine()
        text.styled(.dim) { text in
            text.put(" exchanges      heads     bodies  host")
        }
        text.newLine()
        for host in hosts.prefix(limit) {
            row("\(host.exchanges)", Quantities.size(host.heads), Quantities.size(host.bodies))
            text.show(host.name.span)
            text.newLine()
        }
        let rest = hosts.dropFirst(limit)
        guard !rest.isEmpty else { return }
        row(
            "\(rest.reduce(0) { $0 + $1.exchanges })",
            Quantities.size(rest.reduce(0) { $0.addingClamped($1.heads) }),
            Quantities.size(rest.reduce(0) { $0.addingClamped($1.bodies) })
        )
        text.put(Counted.text(rest.count, "other host"))
        text.newLine()
    }

    // MARK: JSON

    /// The sizes as one JSON object, in bytes.
    private static func json(_ info: StoreInfo, hosts: Int) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("schema", info.schema)
        json.member("exchanges", info.exchanges)
        if let first = info.first, let last = info.last {
            json.key("from")
            json.string(first.rfc3339)
            json.key("to")
            json.string(last.rfc3339)
        }
        json.member("database", info.database)
        json.key("kinds")
        json.beginObject()
        for (kind, bytes) in info.kinds {
            json.key(kind.key.utf8.span)
            json.integer(bytes)
        }
        json.member("free", info.free)
        json.endObject()
        json.member("log", info.log)
        json.key("body_files")
        json.beginObject()
        json.member("count", info.files.count)
        json.member("bytes", info.files.bytes)
        json.endObject()
        if let index = info.textIndex { write(index, to: &json) }
        json.key("hosts")
        json.beginArray()
        for host in info.hosts.prefix(hosts) { write(host, to: &json) }
        json.endArray()
        json.endObject()
        json.separator(0x0A)
        return Array(copying: json.bytes)
    }

    private static func write(_ index: TextIndex.Status, to json: inout JSONWriter) {
        json.key("text_index")
        json.beginObject()
        if let kind = index.kind {
            json.key("kind")
            json.string(kind.rawValue)
        }
        json.member("bytes", index.bytes)
        json.key("condition")
        json.string(index.condition.key)
        if index.condition == .valid { json.member("missing", index.missing) }
        json.endObject()
    }

    private static func write(_ host: StoreInfo.Host, to json: inout JSONWriter) {
        json.beginObject()
        json.key("host")
        if !json.string(ifValid: host.name.span) {
            json.beginObject()
            json.key("base64")
            json.base64(host.name.span)
            json.endObject()
        }
        json.member("exchanges", host.exchanges)
        json.member("heads", host.heads)
        json.member("bodies", host.bodies)
        json.endObject()
    }
}

extension StoreInfo.Kind {
    /// The name in JSON.
    fileprivate var key: String { self == .annotations ? "annotations" : rawValue }
}

extension TextIndex.Status.Condition {
    /// The name in JSON.
    fileprivate var key: String {
        switch self {
        case .valid: "valid"
        case .outOfDate: "out_of_date"
        case .damaged: "damaged"
        }
    }
}
