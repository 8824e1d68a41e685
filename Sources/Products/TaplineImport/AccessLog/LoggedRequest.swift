// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What an access log states about a request and its response.
struct LoggedRequest {
    /// The client's address, possibly with a port.
    var client = ""
    /// The name that the client authenticated with.
    var user = ""
    /// When the request was logged or began.
    var time: Timestamp?
    /// Whether `time` is that of the end, as in nginx.
    var isTimeOfEnd = false
    /// Empty if the request is not HTTP.
    var method = ByteString()
    var target = ByteString()
    var version = ByteString()
    /// Empty if the log does not state it.
    var scheme = ByteString()
    var authority = ByteString()
    var status: Int?
    /// The size of the response's content.
    var size: Int?
    var duration: Microseconds?
    /// The fields of the request that are in the log.
    var fields = FieldSection()

    /// Whether the request is HTTP.
    var isRequest: Bool { !method.isEmpty && !target.isEmpty }

    /// Sets method, target and version from a request line.
    mutating func setLine(_ line: Span<UInt8>) {
        guard let parts = RequestLine(line) else { return }
        method = parts.method
        target = parts.target
        version = parts.version
    }

    /// Appends a field, unless its value is empty or `-`.
    mutating func add(_ name: String, _ value: Span<UInt8>) {
        guard !value.isEmpty, !value.equals("-") else { return }
        fields.append(name: name.utf8.span, value: value)
    }

    /// The exchange; `nil` if the request is not HTTP.
    func exchange(_ fallbackStart: Timestamp) -> Exchange? {
        guard isRequest else { return nil }
        var all = FieldSection()
        let host = authority.isEmpty ? nil : authority
        if let host { all.append(name: "Host".utf8.span, value: host.span) }
        for position in fields.indices {
            all.append(name: fields.name(at: position), value: fields.value(at: position))
        }
        let line = RequestLine(method: method, target: target, version: version)
        let usual: ByteString = host == nil ? "" : "http"
        let stated = scheme.isEmpty ? usual : Request.scheme(scheme.span)
        let request = Request(line, all, scheme: stated)
        var exchange = Exchange.imported(request, started: started ?? fallbackStart)
        exchange.timing.total = duration
        exchange.connection.client = client
        if !user.isEmpty { exchange.tags["user"] = user }
        guard let status, status > 0 else {
            exchange.markWithoutResponse()
            return exchange
        }
        var response = Response(status: status, version: "")
        if let size {
            response.body = Body(bytes: [], size: size, isTruncated: size > 0)
        }
        exchange.response = response
        // nginx: the client closed the connection before the response.
        if status == 499 {
            exchange.state = .cancelled
            exchange.error = ExchangeError(
                code: "cancelled",
                message: "the client closed the connection"
            )
        }
        return exchange
    }

    private var started: Timestamp? {
        guard let time, isTimeOfEnd, let duration else { return time }
        let (start, isOver) = time.microseconds.subtractingReportingOverflow(duration.count)
        // Records cannot state times before the year 1.
        return isOver || start < -62_135_596_800_000_000 ? time : Timestamp(microseconds: start)
    }
}

extension Timestamp {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses the time of access logs: `10/Oct/2026:13:55:36 -0700`; `nil` for other texts.
    init?(accessLog text: Span<UInt8>) {
        guard text.count == 26, text[2] == .ascii("/"), text[6] == .ascii("/"),
            text[11] == .ascii(":"), text[20] == 0x20,
            let month = Self.months.firstIndex(where: { text.extracting(3..<6).equals($0) })
        else { return nil }
        let bytes = Array(copying: text)
        var output = Array(bytes[7..<11])
        output += (month < 9 ? "-0\(month + 1)-" : "-\(month + 1)-").utf8
        output += bytes[0..<2]
        output.append(.ascii("T"))
        output += bytes[12..<20]
        output += bytes[21..<24]
        output.append(.ascii(":"))
        output += bytes[24..<26]
        self.init(rfc3339: output.span)
    }
}
