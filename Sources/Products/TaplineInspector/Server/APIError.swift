// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineServe
internal import TaplineStore

/// Why a call failed, as the page gets it.
struct APIError: Error {
    let status: Int
    /// A word for programs.
    let code: String
    let message: String
    var help: String?
    /// The bytes of the filter that are wrong; `nil` if it is something else.
    var place: Range<Int>?
    /// The parts of what was sent that are not possible.
    var problems: [PauseRefusal.Problem] = []
    /// After how many seconds the same call may succeed; `nil` if that is not to be expected.
    var retryAfter: Int?
    /// How a browser can log in again, if the page has to know: `password`.
    var login: String?

    init(
        _ status: Int,
        _ code: String,
        _ message: String,
        help: String? = nil,
        place: Range<Int>? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.help = help
        self.place = place
    }

    /// A decision about a paused exchange of which parts are not possible.
    init(_ status: Int, _ code: String, _ problems: [PauseRefusal.Problem]) {
        let (first, others) = (problems.first?.reason ?? "it is not possible", problems.count - 1)
        self.init(status, code, others > 0 ? "\(first); and \(others) more" : first)
        self.problems = problems
    }

    init(_ error: FilterError) {
        self.init(error, at: error.offset..<max(error.offset, error.offset + error.length))
    }

    /// An error at a place of what was typed.
    init(_ error: FilterError, at place: Range<Int>) {
        self.init(400, "filter", error.message, help: error.help, place: place)
    }

    init(_ error: StoreError) {
        let (status, code) =
            switch error.code {
            case .missing: (404, "missing")
            case .unknownID: (404, "unknown_id")
            case .ambiguousID: (400, "ambiguous_id")
            case .newer: (409, "newer")
            case .damaged: (500, "damaged")
            case .notDatabase, .notChangeable: (409, "read_only")
            case .badValue: (400, "bad_value")
            case .locked: (503, "locked")
            case .notStore, .foreign: (409, "not_store")
            case .system, .notRepeatable, .notFollowed: (500, "store")
            case .tooManyCopies: (500, "too_many_copies")
            }
        self.init(status, code, error.description)
        if error.code == .locked { retryAfter = 1 }
    }

    /// Stores that cannot be read now.
    init(_ status: StoreStatus) {
        let help = status.help.isEmpty ? nil : status.help
        self.init(status.isPassing ? 503 : 409, status.state, status.message, help: help)
        if status.isPassing { retryAfter = 1 }
    }

    /// What any error of an endpoint means.
    init(any error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as StoreError: self.init(error)
        case let error as FilterError: self.init(error)
        case is QueryCancelled: self.init(409, "cancelled", "the query was cancelled")
        default: self.init(500, "internal", "\(error)")
        }
    }

    /// A call without a value that it needs.
    static func missing(_ name: String) -> APIError {
        APIError(400, "missing_value", "'\(name)' is missing")
    }

    /// A head or a list of files that are not the stores any more.
    static let replaced = APIError(
        409,
        "replaced",
        "other files have taken the place of the stores",
        help: "Load the list again."
    )

    /// Stores that are just being opened.
    static let beingRead: APIError = {
        var error = APIError(503, "busy", "the stores are being read")
        error.retryAfter = 1
        return error
    }()

    /// More calls than threads can answer soon.
    static let busy: APIError = {
        var error = APIError(503, "busy", "too many queries are running")
        error.retryAfter = 1
        return error
    }()

    /// An id that is none, or that no exchange has.
    static let unknownID = APIError(404, "unknown_id", "no exchange has this id")

    var response: ServedResponse {
        var json = JSONWriter()
        json.object { json in
            json.key("error")
            json.object { json in
                json.member("code", code)
                json.member("message", message)
                if let help { json.member("help", help) }
                if let login { json.member("login", login) }
                if let place {
                    json.member("from", place.lowerBound)
                    json.member("to", place.upperBound)
                }
                if !problems.isEmpty { json.problems(problems) }
            }
        }
        var response = ServedResponse(json: json, status: status)
        if let retryAfter { response.fields.append(name: "Retry-After", value: "\(retryAfter)") }
        return response
    }
}

extension JSONWriter {
    fileprivate mutating func problems(_ problems: [PauseRefusal.Problem]) {
        key("problems")
        array { json in
            for problem in problems {
                json.object { json in
                    json.member("at", problem.place)
                    json.member("message", problem.reason)
                }
            }
        }
    }
}
