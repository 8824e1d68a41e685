// SPDX-License-Identifier: MIT

/// The kinds of generated records.
enum RecordKind: String {
    /// Half of them POST a small JSON body with a password.
    case plain = "records"
    /// As `plain`, each with a unique request id.
    case requestIDs = "records-with-ids"
    /// Each has six secrets: a token in the query, Authorization, two cookies, a password in a JSON
    /// body of 360 bytes, and a session cookie in Set-Cookie.
    case sixSecrets = "records-with-secrets"
}

/// Generates NDJSON records of about 900 bytes, or 1,450 with six secrets; the same in each run.
///
/// **Shape**: 14 fields in total; each response body is unique.
struct RecordGenerator {
    private let kind: RecordKind
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The start time of the first record, and the milliseconds between records.
    private static let firstStart = 1_795_183_380_000
    private static let paths = ["/items", "/cart", "/search", "/login", "/static/app", "/orders"]

    init(_ kind: RecordKind) {
        self.kind = kind
    }

    private mutating func random() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    private mutating func hex(_ digits: Int) -> String {
        var text = ""
        while text.utf8.count < digits { text += String(random() | 1 << 63, radix: 16) }
        return String(text.prefix(digits))
    }

    /// Appends the record with a number as a line.
    mutating func append(_ number: Int, to output: inout [UInt8]) {
        let start = Self.firstStart + number
        let time = String(start, radix: 16)
        let prefix = String(repeating: "0", count: 12 - time.utf8.count) + time
        let id = "\(prefix.prefix(8))-\(prefix.suffix(4))-7\(hex(3))-8\(hex(3))-\(hex(12))"
        let path = "\(Self.paths[number % Self.paths.count])/\(number % 5000)"
        let host = "shop\(number % 7).test"
        let hasSecrets = kind == .sixSecrets
        let isPost = hasSecrets || number % 2 == 0
        let status = number % 50 == 0 ? 503 : number % 10 == 0 ? 404 : 200
        let body = isPost ? #","body":{"text":"\#(requestBody(number))"}"# : ""
        let query = hasSecrets ? "&access_token=\(hex(32))" : ""
        let cookies = hasSecrets ? "sid=\(hex(16)); csrf_token=\(hex(24))" : "sid=\(hex(16))"
        let last =
            hasSecrets
            ? #"["Set-Cookie","session=\#(hex(32)); Path=/; HttpOnly"]"#
            : #"["ETag","\"\#(hex(8))\""]"#
        let answer = #"{\"item\":\#(number),\"data\":\"\#(hex(50))\"}"#
        let size = answer.utf8.count - 6
        output.append(
            contentsOf: #"""
                {"v":1,"id":"\#(id)","source":"proxy","state":"completed","started":"\#(Self.text(start))",\#
                "timing":{"wait_ms":\#(number % 300).5,"total_ms":\#(number % 300 + 2).25},"client":"127.0.0.1:\#(1024 + number % 60000)",\#
                "request":{"method":"\#(isPost ? "POST" : "GET")","url":"https://\#(host)\#(path)?page=\#(number % 40)\#(query)","version":"HTTP/1.1",\#
                "headers":[["Host","\#(host)"],["User-Agent","bench/1.0"],["Accept","*/*"],["Accept-Encoding","gzip, br"],["Authorization","Bearer \#(hex(20))"],\#
                ["Cookie","\#(cookies)"],["\#(kind == .requestIDs ? "X-Request-Id" : "X-Forwarded-Id")","\#(hex(12))"],["Connection","keep-alive"]]\#(body)},\#
                "response":{"status":\#(status),"reason":"OK","version":"HTTP/1.1","headers":[["Content-Type","application/json"],["Date","Fri, 20 Nov 2026 14:03:00 GMT"],\#
                ["Cache-Control","no-store"],["Server","bench"],["Vary","Accept"],\#(last)],\#
                "body":{"text":"\#(answer)","size":\#(size)}}}

                """#.utf8
        )
    }

    /// A JSON body within a JSON string; 360 bytes of it in records with six secrets.
    private mutating func requestBody(_ number: Int) -> String {
        let start = #"{\"user\":\"u\#(number % 900)\",\"password\":\"\#(hex(12))\""#
        guard kind == .sixSecrets else { return start + "}" }
        let items = (0..<4).map {
            #"{\"id\":\#(number + $0),\"name\":\"item number \#($0) of 4\",\"count\":2,\"gift\":false}"#
        }
        return start + #",\"remember\":true,\"language\":\"en\",\"currency\":\"EUR\",\"items\":["#
            + items.joined(separator: ",") + "]}"
    }

    /// Returns a time of November 2026, in milliseconds, as RFC 3339.
    private static func text(_ milliseconds: Int) -> String {
        func digits(_ number: Int, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let seconds = milliseconds / 1000
        let day = seconds / 86_400 - firstOfNovember + 1
        let rest = seconds % 86_400
        return "2026-11-\(digits(day))T\(digits(rest / 3600)):\(digits(rest / 60 % 60)):"
            + "\(digits(rest % 60)).\(digits(milliseconds % 1000, 3))Z"
    }

    /// The days from 1970-01-01 to 2026-11-01.
    private static let firstOfNovember = 20_758
}
