// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineCommandLine
import TaplineJSON
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

/// A HAR file with comments and fields of tools at every level.
private let whole = #"""
    {"log":{"version":"1.2","creator":{"name":"Tool","version":"1","comment":"made"},
    "browser":{"name":"B","version":"2","_build":"x"},"comment":"a log","_log":{"list":["l"]},
    "pages":[{"id":"p1","title":"A page","startedDateTime":"2026-11-20T14:03:00.000Z",
    "pageTimings":{"onLoad":1,"comment":"loaded"},"comment":"of page","_page":"x"}],
    "entries":[{"startedDateTime":"2026-11-20T14:03:00.123Z","time":3,"pageref":"p1",
    "connection":"443","comment":"an entry","_initiator":{"type":"script","stack":{"callFrames":
    [{"functionName":"f","url":"https://a.test/x.js"}]}},"_entry":["a",{"b":"c"}],
    "request":{"method":"POST","url":"https://a.test/p?q=1#frag","httpVersion":"HTTP/1.1",
    "comment":"of request","_request":"x","cookies":[{"name":"k","value":"v","path":"/","domain":
    "a.test","comment":"of cookie","_cookie":"x"}],"headers":[{"name":"X-A","value":"1","comment":
    "of header","_header":"x"},{"name":"Cookie","value":"k=v"}],"queryString":[{"name":"q","value":
    "1","comment":"of item","_item":"x"}],"postData":{"mimeType":"multipart/form-data; boundary=b",
    "params":[{"name":"f","value":"w","fileName":"a.txt","contentType":"text/plain","comment":
    "of param","_param":"x"}],"comment":"of data","_data":"x"},"headersSize":20,"bodySize":-1},
    "response":{"status":302,"statusText":"Found","httpVersion":"HTTP/1.1","comment":"of response",
    "_response":"x","_error":"failed","cookies":[{"name":"s","value":"t","sameSite":"Lax","comment":
    "of cookie"}],"headers":[{"name":"Location","value":"/n"},{"name":"Set-Cookie","value":"s=t"}],
    "content":{"size":2,"mimeType":"text/plain","text":"ok","comment":"of content","_content":"x",
    "encoding":"utf-8"},"redirectURL":"https://a.test/n","headersSize":-1,"bodySize":2},
    "cache":{"beforeRequest":{"eTag":"e","comment":"cached"},"comment":"of cache"},
    "timings":{"send":1,"wait":1,"receive":1,"comment":"of timings","_timing":"x"},
    "serverIPAddress":"10.0.0.1","_webSocketMessages":[{"type":"send","time":1795183380.2,
    "opcode":1,"data":"hello"}]}]}}
    """#

/// The ranges of the strings in a JSON text, and the positions where its objects begin.
private func places(of text: String) throws -> (strings: [Range<Int>], objects: [Int]) {
    var parser = JSONParser()
    let bytes = Array(text.utf8)
    let document = try parser.parse(bytes.span)
    var strings: [Range<Int>] = []
    var objects: [Int] = []
    /// Skips keys, since they are names.
    func visit(_ value: JSONValue) {
        if value.kind == .string { strings.append(value.offset..<value.offset + value.bytes.count) }
        if value.kind == .object { objects.append(value.offset + 1) }
        var members = value.members
        while let member = members.next() { visit(member.value) }
        var elements = value.elements
        while let element = elements.next() { visit(element) }
    }
    visit(document.root)
    return (strings, objects)
}

private func replacing(_ range: Range<Int>, in text: String, by new: String) -> String {
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(range, with: Array(new.utf8))
    return String(decoding: bytes, as: UTF8.self)
}

@Suite("tapline convert --redact")
struct ConvertRedactionTests {
    /// Converts a file with a preset to HAR and NDJSON; returns the outputs and the messages.
    func converted(
        _ text: String,
        _ preset: String,
        to suffixes: [String] = ["har", "ndjson"]
    ) async throws -> (String, String) {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-redact")
        defer { try? FileSystem.removeFolder(folder) }
        try File("\(folder)/in.har", for: .create).write(Array(text.utf8).span)
        var output = ""
        var messages = ""
        for suffix in suffixes {
            let outcome = await tapline(
                "convert",
                "--bad-records=skip",
                "--redact=\(preset)",
                "\(folder)/in.har",
                "\(folder)/out.\(suffix)"
            )
            #expect(outcome.code == .success, "\(outcome.errors)")
            output += try TestFiles.text(of: "\(folder)/out.\(suffix)")
            messages += outcome.errors
        }
        return (output, messages)
    }

    @Test("redacts every string whose text names a secret", arguments: ["standard", "strict"])
    func everyStringHoldsASecret(preset: String) async throws {
        let strings = try places(of: whole).strings
        #expect(strings.count > 80)
        for range in strings {
            for secret in ["password=SeCrEt77x", "Authorization: Bearer SeCrEt77x"] {
                let text = replacing(range, in: whole, by: secret)
                // Both formats are written from the same record.
                let suffix = secret.contains("=") ? "har" : "ndjson"
                let (output, messages) = try await converted(text, preset, to: [suffix])
                let place = String(decoding: Array(text.utf8)[..<range.lowerBound], as: UTF8.self)
                #expect(!output.contains("SeCrEt77x"), "\(preset): \(place.suffix(40))")
                #expect(!messages.contains("SeCrEt77x"))
            }
        }
    }

    @Test("redacts every value under the name of a secret", arguments: ["standard", "strict"])
    func everyObjectHoldsASecret(preset: String) async throws {
        let objects = try places(of: whole).objects
        #expect(objects.count > 25)
        for start in objects {
            for member in [
                #""_apiKey":"SeCrEt77x","#, #""_p":{"name":"password","value":"SeCrEt77x"},"#,
                #""_h":[{"value":"SeCrEt77x","name":"X-Api-Key"}],"#,
            ] {
                let text = replacing(start..<start, in: whole, by: member)
                let (output, _) = try await converted(text, preset, to: ["har"])
                let place = String(decoding: Array(text.utf8)[..<start], as: UTF8.self)
                #expect(!output.contains("SeCrEt77x"), "\(preset): \(place.suffix(40))")
            }
        }
    }

    /// A gRPC call with a secret in its messages, in both bodies and in the status.
    private static let call =
        #"{"v":1,"state":"completed","started":"2026-11-20T14:03:00Z","#
        + #""request":{"method":"POST","url":"http://api.test/shop.v1.Orders/Get","#
        + #""headers":[["Content-Type","application/grpc"]],"#
        + #""body":{"base64":"AAAAAA0KC1NlQ3JFdDc3eHgx"}},"response":{"status":200,"#
        + #""headers":[["Content-Type","application/grpc"]],"#
        + #""body":{"base64":"AAAAAA0KC1NlQ3JFdDc3eHgx"},"#
        + #""trailers":[["grpc-status","5"],["grpc-message","token%3DSeCrEt77xx1"]]},"#
        + #""messages":[{"dir":"up","type":"grpc","base64":"CgtTZUNyRXQ3N3h4MQ=="},"#
        + #"{"dir":"down","type":"grpc","base64":"CgtTZUNyRXQ3N3h4MQ=="}]}"#

    @Test("redacts gRPC from a pipe like gRPC from a file")
    func pipes() async throws {
        let folder = try TemporaryFolder()
        let lines = String(repeating: Self.call + "\n", count: 50)
        let file = try folder.write(lines, to: "in.ndjson")
        let fifo = folder("fifo")
        _ = try await command("mkfifo", [fifo])
        var written: [String: String] = [:]
        for (name, input) in [("file", file), ("pipe", fifo)] {
            for way in ["convert", "run"] {
                let output = folder("\(name).\(way).ndjson")
                let pipeline = """
                    version: 1
                    sources: [{ replay: { path: \(input) } }]
                    stages: [redact]
                    sinks: [{ ndjson: { path: \(output) } }]
                    """
                let words =
                    way == "run"
                    ? ["run", try folder.write(pipeline, to: "pipeline.yaml"), "--quiet"]
                    : ["convert", "--redact=standard", input, output]
                if name == "pipe" {
                    // In pieces that end within records.
                    let script = "(dd if='\(file)' bs=777 of='\(fifo)' status=none) >/dev/null &"
                    _ = try await command("sh", ["-c", script])
                }
                let outcome = await tapline(words: words)
                #expect(outcome.code == .success, "\(outcome.errors)")
                let text = try TestFiles.text(of: output)
                #expect(text.split(separator: "\n").count == 50)
                #expect(!text.contains("SeCrEt77") && !text.contains("U2VDckV0"))
                #expect(!text.contains("NlQ3JFdD") && !text.contains("TZUNyRXQ3"))
                written[name + way] = text
            }
        }
        #expect(written["pipeconvert"] == written["fileconvert"])
        #expect(written["piperun"] == written["filerun"])
    }

    /// Polly.js keeps coded content in the pieces that it received, each in base64.
    @Test("reads content in pieces", arguments: ["standard", "strict"])
    func pieces(preset: String) async throws {
        let plain = Array(#"{"password":"ZqSeCrEt77xhunter"}"#.utf8)
        var coded: [UInt8] = []
        try ContentEncoder(.gzip).encodeWhole(plain.span, appendingTo: &coded)
        for (bytes, coding) in [(plain, "gzip"), (plain, "x"), (coded, "gzip")] {
            // Steps of 4 cut groups of base64, which have three bytes, in each place.
            for cut in stride(from: 0, through: bytes.count, by: Rounds.areLong ? 1 : 4) {
                let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])].map(base64)
                let content =
                    #""content":{"size":1,"mimeType":"application/json","encoding":"base64","#
                    + #""text":"[\"\#(pieces[0])\",\"\#(pieces[1])\"]"}"#
                let text =
                    #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h/"},"#
                    + #""response":{"status":200,"headers":[{"name":"Content-Encoding","value":"#
                    + #""\#(coding)"}],\#(content)}}]}}"#
                let (output, _) = try await converted(text, preset)
                let left = try everything(in: output)
                #expect(!left.contains("SeCrEt77x"), "\(preset): \(coding) at \(cut)")
                #expect(left.contains("password") || preset == "strict")
            }
        }
    }

    /// The output, followed by the decoded content of all base64 strings in it.
    private func everything(in output: String) throws -> String {
        var result = output
        for line in output.split(separator: "\n") {
            for word in line.split(whereSeparator: { "\"\\".contains($0) }) {
                var bytes: [UInt8] = []
                guard Base64.decode(word.utf8.span, into: &bytes) == nil else { continue }
                let plain = try? ContentCoding.decode(bytes.span, codings: [.gzip])
                result += String(decoding: plain ?? bytes, as: UTF8.self)
            }
        }
        return result
    }

    private func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64.encode(bytes.span, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test("keeps what is not secret, and reports what strict removes")
    func keepsTheRest() async throws {
        let (standard, _) = try await converted(whole, "standard")
        for text in [
            "A page", "of page", "of header", "of item", "of data", "of content", "of timings",
            "an entry", "a log", "#frag", "a.txt",
        ] {
            #expect(standard.contains(text), "\(text)")
        }
        let (strict, messages) = try await converted(whole, "strict")
        #expect(!strict.contains("A page") && !strict.contains("of header"))
        #expect(messages.contains("har (redacted)"))
    }

    @Test("rejects unknown presets and malformed sizes")
    func presets() async throws {
        let outcome = await tapline("convert", "--redact=none", "a.har", "b.har")
        #expect(outcome.code == .usage)
        for size in ["-1", "1XiB", "", "MiB"] {
            let extra = await tapline("convert", "--max-extra=\(size)", "a.har", "b.har")
            #expect(extra.code == .usage && extra.errors.contains("--max-extra"))
        }
    }
}
