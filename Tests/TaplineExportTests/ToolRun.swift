// SPDX-License-Identifier: MIT

import Foundation
import TaplineFormats
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineExport

/// Programs that may be installed.
enum Tool {
    /// The path of a program; `nil` if it is not installed.
    static func path(_ name: String) -> String? {
        ChildProcess.find(name, in: ProcessEnvironment.variables["PATH"])
    }

    static func isInstalled(_ name: String) -> Bool { path(name) != nil }

    /// The path of a Python that can run some code, such as an import; `nil` if none can.
    ///
    /// Packages that are not in Debian are in the environment that `Examples/recordings/record` makes.
    static func python(_ code: String) -> String? {
        let repository = TestFiles.repository
        let candidates = ["\(repository)/.build/venv/bin/python3", "/usr/bin/python3"]
        return candidates.first { python in
            let report = try? ChildProcess.run(
                [python, "-c", code],
                environment: ProcessEnvironment.variables,
                seconds: 30
            )
            return report?.isSuccess == true
        }
    }

    /// A Python with mitmproxy, of a version that reads the flows that are written.
    static var mitmproxyPython: String? {
        python("import mitmproxy.version as v; assert v.FLOW_FORMAT_VERSION >= 21")
    }

    /// Runs a program in an environment without proxies and configuration; returns its output.
    @discardableResult
    static func run(_ words: [String], home: String, seconds: Int = 120) throws -> String {
        let name = words[0]
        let path = try #require(
            name.hasPrefix("/") ? name : Self.path(name),
            "\(name) is not installed"
        )
        var environment = ["HOME": home, "LC_ALL": "C.UTF-8"]
        environment["PATH"] = ProcessEnvironment.variables["PATH"]
        let report = try ChildProcess.run(
            [path] + words.dropFirst(),
            environment: environment,
            seconds: seconds,
            maxBytes: 1 << 22
        )
        #expect(report.ending != nil, "\(name) did not end in \(seconds) s")
        return report.text
    }
}

/// A request as the server received it.
struct ReceivedRequest {
    let method: [UInt8]
    let target: [UInt8]
    let fields: [(name: String, value: [UInt8])]
    let body: [UInt8]

    private struct Entry: Decodable {
        let method: Data
        let target: Data
        let body: Data
        let fields: [[Data]]
    }

    init(line: Substring) throws {
        let entry = try JSONDecoder().decode(Entry.self, from: Data(line.utf8))
        method = [UInt8](entry.method)
        target = [UInt8](entry.target)
        body = [UInt8](entry.body)
        fields = entry.fields.map { (String(decoding: $0[0], as: UTF8.self), [UInt8]($0[1])) }
    }

    /// The values of a field, in order.
    func values(_ name: String) -> [[UInt8]] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

/// Exports all cases, lets a tool send them to a server, and compares what arrives.
struct ToolRun {
    let folder: TemporaryFolder
    let server: PythonServer
    let requests: [Request]
    /// What the writer reported for each request.
    private(set) var losses: [[String]] = []
    /// The exported text.
    private(set) var text: [UInt8] = []

    init(_ writer: any ExportWriter) throws {
        folder = try TemporaryFolder()
        server = try PythonServer("recorder", arguments: [folder("log")])
        requests = ExportCases.all(port: server.port)
        var writer = writer
        _ = writer.start(to: &text)
        for (number, request) in requests.enumerated() {
            let report = writer.write(ExportCases.record(request, number), to: &text)
            losses.append(report.losses.map(\.field))
        }
        _ = writer.finish(to: &text)
    }

    /// Compares all received requests with the recorded ones.
    ///
    /// - Parameters:
    ///   - added: Fields, in lower case, that the tool adds if there are none.
    ///   - leastWhole: How many requests have to be carried over without any loss.
    ///   - output: What the tool printed.
    /// - Throws: An error if the log of the server cannot be read.
    func compare(added: Set<String>, leastWhole: Int, output: String) throws {
        let received = try received()
        var missing: [Int] = []
        for (number, request) in requests.enumerated() {
            let losses = losses[number]
            guard !losses.contains(where: { $0.hasPrefix("request (") }) else { continue }
            guard let found = received[number], found.count == 1 else {
                missing.append(number)
                continue
            }
            let problems = Difference(request, found[0], Set(losses), added).problems
            let target = request.target
            #expect(problems.isEmpty, "\(number) \(request.method) \(target) \(losses)")
        }
        #expect(missing.isEmpty, "not sent once: \(output.suffix(2000))")
        #expect(losses.filter(\.isEmpty).count >= leastWhole)
    }

    private func received() throws -> [Int: [ReceivedRequest]] {
        var received: [Int: [ReceivedRequest]] = [:]
        for line in try folder.read("log").split(separator: "\n") {
            let request = try ReceivedRequest(line: line)
            let text = String(decoding: request.target, as: UTF8.self)
            let number = text.split(separator: "/").first { Int($0.dropFirst()) != nil }
            let key = number.flatMap { Int($0.dropFirst()) } ?? -1
            received[key, default: []].append(request)
        }
        return received
    }
}

/// How a received request differs from the recorded one, apart from reported losses.
struct Difference {
    private(set) var problems: [String] = []

    /// Fields that describe the connection or the framing.
    private static let ignored: Set<String> = [
        "connection", "keep-alive", "content-length", "transfer-encoding", "host", "te",
    ]

    init(
        _ sent: Request,
        _ received: ReceivedRequest,
        _ losses: Set<String>,
        _ added: Set<String>
    ) {
        let method = Array(copying: sent.method.span)
        if received.method != method, !losses.contains("request.method") {
            problems.append("method \(String(decoding: received.method, as: UTF8.self))")
        }
        let target = Array(copying: sent.target.span)
        if received.target != target, !losses.contains("request.target") {
            problems.append("target \(String(decoding: received.target, as: UTF8.self))")
        }
        if received.body != sent.body.bytes,
            !losses.contains(where: { $0.hasPrefix("request.body (") })
        {
            problems.append("body of \(received.body.count) bytes")
        }
        let host = sent.fields.first("Host") ?? sent.authority
        let isHost = received.values("host") == [Array(copying: host.span)]
        if !isHost, !losses.contains("request.headers (host)") { problems.append("host") }
        compareFields(sent, received, losses, added)
    }

    private mutating func compareFields(
        _ sent: Request,
        _ received: ReceivedRequest,
        _ losses: Set<String>,
        _ added: Set<String>
    ) {
        let isDecoded = !sent.body.bytes.isEmpty && sent.body.coding.isEmpty
        let isJoined = losses.contains("request.headers (repeated)")
        var names = Set(received.fields.map { $0.name.lowercased() })
        for position in sent.fields.indices {
            names.insert(ByteString(sent.fields.name(at: position)).description.lowercased())
        }
        for name in names where !Self.ignored.contains(name) && !name.hasPrefix(":") {
            var expected = sent.fields.all(name).map { Array(copying: $0.span) }
            if name == "content-encoding", isDecoded { expected = [] }
            var found = received.values(name)
            if expected.isEmpty, added.contains(name) { continue }
            if name == "content-type", expected.isEmpty,
                losses.contains("request.headers (added type)")
            {
                continue
            }
            if isJoined {
                let mark = Array((name == "cookie" ? "; " : ", ").utf8)
                expected = expected.count > 1 ? [Array(expected.joined(separator: mark))] : expected
                found = found.count > 1 ? [Array(found.joined(separator: mark))] : found
            }
            let isLost =
                losses.contains("request.headers (not UTF-8)")
                || losses.contains("request.headers (backslash)")
            if found != expected, !(isLost && name == "x-value") {
                problems.append("\(name) \(found.map { String(decoding: $0, as: UTF8.self) })")
            }
        }
    }
}
