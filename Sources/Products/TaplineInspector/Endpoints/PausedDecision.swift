// SPDX-License-Identifier: MIT

internal import RulesStage
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

/// A decision about a paused exchange, read from JSON.
struct PausedDecision {
    /// How many changes one decision may have.
    private static let maxChanges = 100

    private(set) var decision = PauseDecision()
    /// What is wrong with its parts.
    private var problems: [PauseRefusal.Problem] = []

    init(_ body: [UInt8], in hook: Plane) throws(APIError) {
        var parser = JSONParser(maxDepth: 16)
        do {
            let document = try parser.parse(body.span)
            try read(document.root, hook)
        } catch let error as APIError {
            throw error
        } catch {
            throw APIError(400, "bad_json", "the body is not JSON")
        }
        guard problems.isEmpty else { throw APIError(400, "bad_value", problems) }
    }

    private mutating func read(_ root: JSONValue, _ hook: Plane) throws(APIError) {
        // A decision about the request is none about the response.
        if let meant = root.member("hook")?.asString, meant != hook.name {
            throw PausedEndpoints.gone
        }
        let edits = try edits(root, hook)
        if !edits.isEmpty { decision.edit = ExchangeEdit.making(edits) }
        if root.member("abort")?.asBool == true {
            decision.action = .abort
        } else if let answer = root.member("respond"), !answer.isNull {
            decision.action = .respond(try response(answer))
        }
    }

    // MARK: Changes

    private mutating func edits(
        _ root: JSONValue,
        _ hook: Plane
    ) throws(APIError) -> [ExchangeEdit] {
        var edits: [ExchangeEdit] = []
        guard let list = root.member("changes") else { return edits }
        var count = 0
        var changes = list.elements
        while let change = changes.next() {
            guard let place = change.member("at")?.asString else {
                throw APIError(400, "bad_value", "a change has no place")
            }
            count += 1
            guard count <= Self.maxChanges else {
                throw APIError(400, "bad_value", "there are too many changes")
            }
            do throws(ExchangeEdit.Refusal) {
                edits.append(try Self.edit(change, at: place, hook))
            } catch {
                problems.append(PauseRefusal.Problem(place, error.description))
            }
        }
        return edits
    }

    private static func edit(
        _ change: JSONValue,
        at place: String,
        _ hook: Plane
    ) throws(ExchangeEdit.Refusal) -> ExchangeEdit {
        let isRemoved = change.member("remove")?.asBool == true
        let value = isRemoved ? nil : change.member("value")?.asString
        guard isRemoved || value != nil else {
            throw ExchangeEdit.Refusal(description: "the change of '\(place)' has no value")
        }
        let isNew = change.member("add")?.asBool == true
        let edit = try ExchangeEdit(at: place, value: value, isNew: isNew)
        guard edit.isOfResponse == (hook == .response) else {
            throw ExchangeEdit.Refusal(
                description: hook == .response
                    ? "the request has been sent" : "there is no response yet"
            )
        }
        return edit
    }

    // MARK: Answers

    private mutating func response(_ value: JSONValue) throws(APIError) -> Response {
        var number = 200
        if let status = value.member("status")?.asInt64, 200...599 ~= status {
            number = Int(status)
        } else {
            refuse("response.status", "wrong status; expected 200 to 599")
        }
        var response = Response(
            status: number,
            reason: ByteString(Response.reason(of: number)),
            body: Body([])
        )
        if let list = value.member("headers") {
            var headers = list.elements
            while let header = headers.next() {
                var parts = header.elements
                guard let name = parts.next()?.asString, let text = parts.next()?.asString else {
                    throw APIError(400, "bad_value", "a header is not a name and a value")
                }
                add(name, text, to: &response.fields)
            }
        }
        if let body = value.member("body"), !body.isNull {
            response.body = Body(content(body))
        }
        return response
    }

    private mutating func add(_ name: String, _ value: String, to fields: inout FieldSection) {
        let place = "response.header.\(name)"
        do throws(ExchangeEdit.Refusal) {
            _ = try ExchangeEdit(at: place, value: value)
            fields.append(name: name.utf8.span, value: value.utf8.span)
        } catch {
            refuse(place, error.description)
        }
    }

    private mutating func content(_ body: JSONValue) -> [UInt8] {
        if let text = body.member("text")?.asString { return Array(text.utf8) }
        var bytes: [UInt8] = []
        guard let text = body.member("base64")?.asString,
            Base64.decode(text.utf8.span, into: &bytes) == nil
        else {
            refuse("response.body", "the body has neither 'text' nor 'base64'")
            return []
        }
        return bytes
    }

    private mutating func refuse(_ place: String, _ reason: String) {
        problems.append(PauseRefusal.Problem(place, reason))
    }
}

extension ExchangeEdit {
    /// Returns what makes all changes, or throws which of them are not possible.
    fileprivate static func making(_ edits: [ExchangeEdit]) -> PauseDecision.Edit {
        { exchange throws(PauseRefusal) in
            var problems: [PauseRefusal.Problem] = []
            for edit in edits {
                do throws(ExchangeEdit.Refusal) {
                    try edit.apply(to: &exchange)
                } catch {
                    problems.append(PauseRefusal.Problem(edit.place, error.description))
                }
            }
            guard problems.isEmpty else { throw PauseRefusal(problems) }
        }
    }
}
