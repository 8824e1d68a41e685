// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineStore

/// `tapline explain STORE... ID`.
enum ExplainCommand {
    /// The formats of the output.
    enum Format: String, CaseIterable {
        case text
        case json
    }

    static func run(_ invocation: Invocation) async -> ExitCode {
        let console = invocation.console
        var isDone = true
        let code = invocation.askStores {
            let choice = try ShowArguments.Choice(invocation.operands.last ?? "")
            let names = Array(invocation.operands.dropLast())
            let stores = try StoreSet(names, countingOnce: ExchangeCopies()) {
                console.note("warning: \($0)")
            }
            let exchange = try choice.exchange(in: stores)
            guard exchange.extra?.provenance.isEmpty == false else {
                throw ShowError(
                    description: "the exchange has no provenance; pipelines record it with "
                        + "'runtime: { provenance: true }'"
                )
            }
            isDone = explain(exchange, invocation)
            return stores
        }
        return isDone ? code : .failure
    }

    /// Writes what the stages did; returns whether all of it was written.
    private static func explain(_ exchange: Exchange, _ invocation: Invocation) -> Bool {
        let format = invocation.value("format").flatMap(Format.init(rawValue:)) ?? .text
        let output = PagedOutput(invocation, isPaged: format == .text)
        switch format {
        case .text:
            var text = PrettyText(isColoured: invocation.usesColours) { bytes in
                output.write(bytes)
                return !output.isClosed
            }
            ProvenancePrinter.write(exchange, to: &text)
        case .json:
            output.write(json(exchange))
        }
        return output.finish()
    }

    /// The steps as one JSON object; `value` is that of the stored record, after all stages.
    private static func json(_ exchange: Exchange) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("id")
        json.string(exchange.id.description)
        json.key("started")
        json.string(exchange.started.rfc3339)
        json.key("method")
        json.string(exchange.request.method.description)
        json.key("url")
        json.string(exchange.request.url.description)
        if let response = exchange.response {
            json.key("status")
            json.integer(response.status)
        }
        json.key("state")
        json.string(exchange.state.name)
        json.key("provenance")
        json.beginArray()
        for step in exchange.extra?.provenance ?? [] {
            ProvenanceEncoding.step(step, to: &json) { change in
                let isGone = change.kind == ProvenanceKind.removed.rawValue
                return isGone ? nil : exchange.value(of: change)
            }
        }
        json.endArray()
        json.endObject()
        json.separator(0x0A)
        return Array(copying: json.bytes)
    }
}
