// SPDX-License-Identifier: MIT

internal import TaplineQuery

/// How a field of statistics is read from rows without decoding exchanges.
enum StatsColumn {
    /// A column of text or bytes; an empty value counts as absent, as does NULL.
    case text(String)
    /// A column of text that is NULL if it is absent; empty text is a value.
    case optionalText(String)
    /// A column of integers; NULL if it is absent.
    case number(String)
    case status, statusClass
    /// What the table `hosts` determines.
    case scheme, host, port, authority
    case path, route, caller

    /// How a field is read; `nil` if only whole exchanges have it.
    init?(_ field: StatsField) {
        switch field {
        case .authority: self = .authority
        case .caller: self = .caller
        case .field(let field):
            guard let column = StatsColumn(field.field) else { return nil }
            self = column
        }
    }

    private init?(_ field: Field) {
        switch field {
        case .source: self = .text("e.source")
        case .state: self = .text("e.state")
        case .method: self = .text("e.method")
        case .client: self = .text("e.client")
        case .server: self = .text("e.server")
        case .requestVersion: self = .text("e.version")
        case .error: self = .optionalText("e.error_code")
        case .correlation: self = .optionalText("e.correlation")
        case .duration: self = .number("e.total_us")
        case .started: self = .number("e.started")
        case .requestSize: self = .number("e.request_size")
        case .responseSize: self = .number("e.response_size")
        case .status: self = .status
        case .statusClass: self = .statusClass
        case .scheme: self = .scheme
        case .host: self = .host
        case .port: self = .port
        case .path: self = .path
        case .route: self = .route
        default: return nil
        }
    }

    /// The expressions that it reads, with the alias `e` for `exchanges`.
    func expressions(schema: Int) -> [String] {
        switch self {
        case .text(let column), .optionalText(let column), .number(let column): [column]
        case .status, .statusClass: ["e.status"]
        case .scheme, .host, .port, .authority: ["e.host"]
        case .path: ["e.target"]
        case .route:
            // Older templates are spelled differently, and `**` stands for many.
            schema >= 2
                ? [
                    "e.path",
                    "CASE WHEN e.path = (SELECT id FROM paths WHERE template = '**') "
                        + "THEN e.target END",
                ] : ["NULL", "e.target"]
        case .caller: ["e.client", "e.source"]
        }
    }
}
