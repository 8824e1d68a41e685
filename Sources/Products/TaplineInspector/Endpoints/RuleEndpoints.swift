// SPDX-License-Identifier: MIT

internal import RulesStage
internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineServe
internal import TaplineSystem

/// `/api/rules`: the rule files, which are the only state of rules.
enum RuleEndpoints {
    /// `GET /api/rules`.
    static func list(_ call: Call) throws(APIError) -> ServedResponse {
        let book = call.context.ruleBook
        var json = JSONWriter()
        json.object { json in
            json.key("files")
            json.array { json in
                for file in book.files { json.ruleFile(file, call) }
            }
        }
        return ServedResponse(json: json)
    }

    /// `POST /api/rules/check`.
    static func check(_ call: Call) throws(APIError) -> ServedResponse {
        let file = try call.context.ruleBook.file(try call.required("id"))
        let checked = try check(call, Array(try call.required("text").utf8), of: file)
        var json = JSONWriter()
        json.object { $0.ruleMembers(checked, hits: [:]) }
        return ServedResponse(json: json)
    }

    /// `POST /api/rules/save`.
    static func save(_ call: Call) throws(APIError) -> ServedResponse {
        let book = call.context.ruleBook
        let file = try book.file(try call.required("id"))
        let text = Array(try call.required("text").utf8)
        let checked = try check(call, text, of: file)
        guard checked.isValid else { throw checked.error }
        if let version = try book.save(text, to: file, replacing: try call.required("version")) {
            var json = JSONWriter()
            json.object { $0.member("version", version) }
            return ServedResponse(json: json)
        }
        return try conflict(book, file)
    }

    /// The answer if a file has changed in the meantime.
    private static func conflict(
        _ book: RuleBook,
        _ file: RuleBook.File
    ) throws(APIError) -> ServedResponse {
        let current = try book.read(file)
        var json = JSONWriter()
        json.object { json in
            json.key("error")
            json.object { json in
                json.member("code", "conflict")
                json.member("message", "the rule file has changed in the meantime")
            }
            json.member("version", current.version)
            json.member("text", String(decoding: current.bytes, as: UTF8.self))
        }
        return ServedResponse(json: json, status: 409)
    }

    /// Reads a text of the page as the rules of a file.
    ///
    /// It answers only with files in the folder of the file, or with those that the saved text
    /// names.
    static func check(
        _ call: Call,
        _ text: [UInt8],
        of file: RuleBook.File
    ) throws(APIError) -> CheckedRules {
        guard text.count <= RuleBook.maxBytes else {
            throw APIError(413, "too_large", "the rule file is too large")
        }
        var named: [String] = []
        if let saved = try? call.context.ruleBook.read(file) {
            named = RuleFileReport.answerFiles(
                of: ConfigSource(name: file.path, bytes: saved.bytes),
                environment: Environment(ProcessEnvironment.variables)
            )
        }
        return CheckedRules(
            ConfigSource(name: file.path, bytes: text),
            call.context.protectedFiles.limited(toFolderOf: file.path, besides: named)
        )
    }
}

extension JSONWriter {
    fileprivate mutating func ruleFile(_ file: RuleBook.File, _ call: Call) {
        let book = call.context.ruleBook
        object { json in
            json.member("id", file.id)
            json.member("path", file.path)
            do throws(APIError) {
                let (bytes, version) = try book.read(file)
                let checked = CheckedRules(
                    ConfigSource(name: file.path, bytes: bytes),
                    call.context.protectedFiles
                )
                json.member("writable", book.isWritable(file))
                var hits: [String: Int] = [:]
                for metric in call.context.control?.metrics(of: file.id) ?? []
                where metric.name == "hits" {
                    hits[metric.subject] = metric.count
                }
                json.member("version", version)
                json.member("text", String(decoding: bytes, as: UTF8.self))
                json.ruleMembers(checked, hits: hits)
            } catch {
                json.member("writable", false)
                json.member("version", "")
                json.member("text", "")
                json.key("rules")
                json.array { _ in }
                json.key("problems")
                json.array { json in
                    json.object { json in
                        json.member("line", 1)
                        json.member("column", 1)
                        json.member("from", 0)
                        json.member("to", 0)
                        json.member("severity", "error")
                        json.member("message", error.message)
                    }
                }
            }
        }
    }

    /// The members `problems` and `rules`.
    fileprivate mutating func ruleMembers(_ checked: CheckedRules, hits: [String: Int]) {
        key("problems")
        array { json in
            for problem in checked.problems where problem.severity > .note {
                json.problem(problem)
            }
        }
        key("rules")
        array { json in
            for rule in checked.report.rules { json.rule(rule, hits: hits[rule.counted]) }
        }
    }

    private mutating func problem(_ problem: Diagnostic) {
        object { json in
            json.member("line", problem.location?.line ?? 1)
            json.member("column", problem.location?.column ?? 1)
            json.member("from", problem.location?.byteOffset ?? 0)
            json.member("to", problem.location?.byteEnd ?? 0)
            json.member("severity", problem.severity.description)
            json.member("message", problem.message)
            if let help = problem.help { json.member("help", help) }
        }
    }

    private mutating func rule(_ rule: RuleFileReport.Rule, hits: Int?) {
        object { json in
            if let name = rule.name { json.member("name", name) }
            json.member("enabled", rule.isEnabled)
            if let condition = rule.condition { json.member("when", condition) }
            json.member("summary", rule.summary)
            if let hits { json.member("hits", hits) }
            json.member("from", rule.lines.lowerBound)
            json.member("to", rule.lines.upperBound)
            json.key("reads")
            json.array { json in
                for place in rule.reads { json.string(place) }
            }
        }
    }
}
