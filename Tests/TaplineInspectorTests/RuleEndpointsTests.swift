// SPDX-License-Identifier: MIT

import RulesStage
import TaplineConfig
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineStore
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineInspector

/// A pipeline that an inspector runs beside, without sources.
final class IdleControl: PipelineControl {
    let paused = PausedExchanges()
    let ruleFiles: [(id: String, path: String)]
    let protectedPaths: [String]
    var canSend: Bool { false }

    init(ruleFiles: [(id: String, path: String)] = [], protectedPaths: [String] = []) {
        self.ruleFiles = ruleFiles
        self.protectedPaths = protectedPaths
    }

    func send(
        _ request: Request,
        replaying original: ExchangeID?,
        answered: @escaping @Sendable (Result<ExchangeID, ControlError>) -> Void
    ) { answered(.failure(ControlError("no source"))) }

    func metrics(of id: String) -> [Metric] {
        id == "rules" ? [Metric("hits", of: "five", count: 7)] : []
    }
}

@Suite("The inspector's rules", .timeLimit(.minutes(2)))
struct RuleEndpointsTests {
    private static let text = """
        version: 1
        rules:
          # the first
          - name: five
            when: status >= 500
            actions:
              - set: { response.status: 200, response.header.X-A: "1" }

          - enabled: false
            actions: [pause]
          - when: path == "/items/3"
            actions: [respond: { status: 503 }, delay: 2s]
        # the end

        """

    private let folder: TemporaryFolder
    private let browser: Browser
    private var path: String { folder("rules.yaml") }

    init() throws {
        folder = try TemporaryFolder(["rules.yaml": Self.text, "other.yaml": "x"])
        try Stored.add(Stored.exchanges, to: folder("traffic.db"))
        let control = IdleControl(ruleFiles: [("rules", folder("rules.yaml"))])
        browser = try Browser(folder("traffic.db"), control: control)
    }

    /// A call whose arguments are texts.
    private func post(_ path: String, _ values: [String: String]) throws -> Answer {
        let members = values.map { "\"\($0.key)\":\(FilterLiteral.text($0.value))" }
        return try browser.post(path, "{\(members.joined(separator: ","))}")
    }

    @Test("are listed with their lines, what they do, and how often they have acted")
    func list() throws {
        let file = try browser.get("rules").json["files"][0]
        #expect(file["id"].text == "rules")
        #expect(file["path"].text == path)
        #expect(file["text"].text == Self.text)
        #expect(file["writable"].isTrue)
        #expect(file["problems"].list.isEmpty)
        let rules = file["rules"]
        #expect(rules.list.count == 3)
        #expect(rules[0]["name"].text == "five")
        #expect(rules[0]["when"].text == "status >= 500")
        #expect(rules[0]["summary"].text == "set response.status, set response.header.X-A")
        #expect(rules[0]["hits"].number == 7)
        #expect(rules[0]["from"].number == 4)
        #expect(rules[0]["to"].number == 7)
        #expect(!rules[1]["enabled"].isTrue)
        #expect(rules[1]["reads"] == .list([.text("request.body")]))
        #expect(rules[1]["from"].number == 9)
        #expect(rules[1]["to"].number == 10)
        #expect(rules[2]["to"].number == 12)
        #expect(try browser.get("info").json["can"]["rules"].isTrue)
    }

    @Test("are checked as one types, without a change of the file")
    func check() throws {
        let wrong = Self.text.replacing("status >=", with: "stats >=")
        let report = try post("rules/check", ["id": "rules", "text": wrong]).json
        let problem = report["problems"][0]
        #expect(problem["severity"].text == "error")
        #expect(problem["line"].number == 5)
        let from = try #require(problem["from"].number)
        let to = try #require(problem["to"].number)
        let bytes = Array(wrong.utf8)
        #expect(String(decoding: bytes[from..<to], as: UTF8.self) == "stats")
        #expect(report["rules"].list.count == 3)
        #expect(try TestFiles.text(of: path) == Self.text)
    }

    @Test("are saved as a whole, with the mode of the file, unless it has changed meanwhile")
    func save() throws {
        _ = try runShell("chmod 640 '\(path)'")
        let version = try browser.get("rules").json["files"][0]["version"].text ?? ""
        let new = "version: 1\nrules: []\n"
        let saved = try post("rules/save", ["id": "rules", "text": new, "version": version])
        #expect(saved.status == 200, "\(saved.text)")
        #expect(try TestFiles.text(of: path) == new)
        #expect(try FileSystem.status(of: path)?.permissions == 0o640)
        #expect(try FileSystem.names(in: folder.path).filter { $0.contains("tapline-") } == [])
        let late = try post("rules/save", ["id": "rules", "text": Self.text, "version": version])
        #expect(late.status == 409)
        #expect(try late.json["text"].text == new)
        #expect(try late.json["version"].text == saved.json["version"].text)
        let wrong = try post(
            "rules/save",
            ["id": "rules", "text": "version: 2\n", "version": version]
        )
        #expect(wrong.status == 400)
        #expect(try wrong.json["error"]["code"].text == "wrong_rules")
        #expect(try TestFiles.text(of: path) == new)
    }

    @Test("are saved to no other file", arguments: ["other.yaml", "../other.yaml", ""])
    func confined(name: String) throws {
        for id in [name, folder(name)] {
            let answer = try post(
                "rules/save",
                ["id": id, "text": "version: 1\nrules: []\n", "version": ""]
            )
            #expect(answer.status == 404)
        }
        #expect(try TestFiles.text(of: folder("other.yaml")) == "x")
    }

    @Test("are tried on the past, in slices until all of it was seen")
    func trial() throws {
        var report = try post("rules/try", ["id": "rules", "text": Self.text]).json
        for _ in 0..<100 where !report["complete"].isTrue {
            let key = try #require(report["key"].text)
            report = try post("rules/try", ["key": key]).json
        }
        #expect(report["complete"].isTrue)
        #expect(report["seen"].number == 40)
        #expect(report["total"].number == 40)
        // Exchanges 7, 17, 27 and 37 have failed; the third rule answers exchange 3 with 503.
        #expect(report["rules"][0]["hits"].number == 5)
        #expect(report["rules"][0]["examples"].list.count == 3)
        let example = report["rules"][0]["examples"][0]
        #expect(example["id"].text == Stored.exchanges[37].id.description)
        #expect(example["row"]["status"].number == 503)
        let changes = example["changes"].list
        let status = changes.first { $0["at"].text == "response.status" }
        #expect(status?["after"].text == "200")
        #expect(changes.contains { $0["at"].text == "response.header.X-A" })
        #expect(report["rules"][1]["hits"].number == 0)
        #expect(report["rules"][2]["hits"].number == 1)
        #expect(report["rules"][2]["examples"][0]["verdict"].text == "respond, delay 2.0s")
        let few = try post(
            "rules/try",
            ["id": "rules", "text": Self.text, "filter": "path == \"/items/7\""]
        ).json
        #expect(few["seen"].number == 1)
        #expect(few["rules"][0]["hits"].number == 1)
        #expect(try post("rules/try", ["key": "try-99"]).status == 404)
        #expect(try post("rules/try", ["id": "rules", "text": "x: 1"]).status == 400)
    }

    @Test("are tried on no more exchanges than the limit")
    func trialLimit() throws {
        let report = RuleFileReport(
            ConfigSource(name: path, bytes: Array(Self.text.utf8)),
            environment: Environment(),
            protected: ProtectedFiles([])
        )
        let trial = RuleTrial(try #require(report.set), report.rules, nil, limit: 3, of: 0)
        let stores = try StoreSet([folder("traffic.db")])
        var found = try trial.go(on: stores, total: 40, QueryProgress())
        for _ in 0..<3 where !found.isComplete {
            found = try trial.go(on: stores, total: 40, QueryProgress())
        }
        #expect(found.isComplete)
        #expect(found.seen == 3)
        #expect(found.total == 3)
    }

    @Test("from the page answer only with files of the folder, or with files of the saved text")
    func files() throws {
        let outside = try TemporaryFolder(["secret.txt": "outside", "named.txt": "named"])
        func text(_ file: String) -> String {
            "version: 1\nrules: [{ actions: [respond: { file: '\(file)' }] }]\n"
        }
        for name in ["secret.txt", "missing.txt"] {
            let rules = text(outside(name))
            let checked = try post("rules/check", ["id": "rules", "text": rules]).json
            let message = checked["problems"][0]["message"].text ?? ""
            #expect(message.contains("must be in the rule file's folder"), "\(name)")
            let tried = try post("rules/try", ["id": "rules", "text": rules])
            #expect(tried.status == 400)
            #expect(!tried.text.contains("outside"))
        }
        let inside = try post("rules/check", ["id": "rules", "text": text("other.yaml")]).json
        #expect(inside["problems"].list.isEmpty)
        try folder.write(text(outside("named.txt")), to: "rules.yaml")
        let named = text(outside("named.txt"))
        let saved = try post("rules/check", ["id": "rules", "text": named]).json
        #expect(saved["problems"].list.isEmpty)
    }

    @Test("show no values of the environment")
    func environment() throws {
        let rules = "version: 1\nrules: [{ actions: [set: { tag.home: 'a${PATH}b' }] }]\n"
        let tried = try post("rules/try", ["id": "rules", "text": rules]).json
        let changes = tried["rules"][0]["examples"][0]["changes"].list
        let change = changes.first { $0["at"].text == "tag.home" }
        #expect(change?["after"].text == "a${PATH}b")
        let missing = rules.replacing("PATH", with: "TAPLINE_NO_SUCH_VARIABLE")
        let checked = try post("rules/check", ["id": "rules", "text": missing]).json
        #expect(checked["problems"][0]["message"].text?.contains("is not set") == true)
    }

    @Test("that are not UTF-8 are neither shown nor saved")
    func notText() throws {
        _ = try runShell("printf '\\377' > '\(path)'")
        let file = try browser.get("rules").json["files"][0]
        #expect(!file["writable"].isTrue)
        #expect(file["text"].text == "")
        let new = "version: 1\nrules: []\n"
        let saved = try post("rules/save", ["id": "rules", "text": new, "version": ""])
        #expect(saved.status == 409)
    }

    @Test("of a file that is changed by hand notify the page")
    func event() throws {
        let events = try browser.events()
        try events.read(until: "event: head")
        try folder.write("version: 1\nrules: []\n", to: "rules.yaml")
        try events.read(until: "event: rules")
        try events.read(until: "\"id\":\"rules\"")
    }
}
