// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineModel

/// Estimates the size of an exchange on the wire, as accurately as an app can.
///
/// Foundation exposes neither the lines themselves nor what libcurl adds to a request. The added
/// fields are known by name and were measured with Foundation of Swift 6.3 and libcurl 7.88.
enum ByteEstimate {
    /// How many bytes of a body are compressed to estimate the compression of the rest.
    private static let sample = 64 << 10
    /// The end of a chunked body, and the bytes around its only chunk besides the size (RFC 9112
    /// §7.1).
    private static let lastChunk = 5
    private static let aroundChunk = 4
    private static let lineEnd = 2

    /// How a request was sent.
    enum Sending {
        /// Not at all: a stage has answered, so no request was sent to the server.
        case nothing
        case whole
        /// In chunks, as the content arrived.
        case stream
    }

    /// Returns the bytes of both directions.
    static func counts(of exchange: borrowing Exchange, _ sending: Sending) -> ByteCounts {
        var counts = ByteCounts(isExact: false)
        let isUnsent = exchange.error.map { unsent.contains($0.code) } ?? false
        if let response = exchange.response {
            counts.down = down(response, isHead: exchange.request.method == "HEAD")
        } else if isUnsent {
            return counts
        }
        counts.up = up(exchange.request, sending)
        return counts
    }

    // MARK: The request

    private static func up(_ request: borrowing Request, _ sending: Sending) -> ByteCounts.Direction
    {
        let body = request.body.size ?? request.body.decodedSize ?? request.body.bytes.count
        let isChunked = sending == .stream || request.fields.isChunked
        return .init(
            line: request.method.count + 1 + request.target.count + " HTTP/1.1\r\n".utf8.count,
            headers: request.fields.lineBytes + added(request, body, isChunked) + lineEnd,
            body: isChunked ? chunked(body) : body
        )
    }

    /// Failures after which no part of the request was sent.
    private static let unsent: Set<String> = [
        "dns", "connect_refused", "no_target", "tls", "tls_verify",
    ]

    /// Returns the size of the fields that Foundation and libcurl add unless the app has set them.
    private static func added(_ request: borrowing Request, _ body: Int, _ isChunked: Bool) -> Int {
        var sum = 0
        func add(_ name: String, _ count: Int) {
            guard !request.fields.contains(name) else { return }
            sum += name.utf8.count + count + ": \r\n".utf8.count
        }
        add("Host", request.authority.count)
        add("Accept", "*/*".utf8.count)
        add("Accept-Encoding", "deflate, gzip, br, zstd".utf8.count)
        add("Connection", "keep-alive".utf8.count)
        add("User-Agent", userAgent)
        add("Accept-Language", "en".utf8.count)
        let method = request.method
        let hasBody = body > 0 || request.body.isTruncated
        if isChunked {
            add("Transfer-Encoding", "chunked".utf8.count)
        } else if hasBody || (method != "GET" && method != "HEAD") {
            add("Content-Length", String(body).utf8.count)
        }
        if hasBody, method == "POST" {
            // This field has no blank after the colon.
            add("Content-Type", "application/x-www-form-urlencoded".utf8.count - 1)
        }
        return sum
    }

    /// The length of Foundation's user agent: the name of the program and the version of libcurl.
    private static let userAgent: Int = {
        let path = CommandLine.arguments.first ?? ""
        let name = path.utf8.reversed().prefix { $0 != .ascii("/") }.count
        return name + " (unknown version) curl/8.88.8".utf8.count
    }()

    // MARK: The response

    private static func down(_ response: borrowing Response, isHead: Bool) -> ByteCounts.Direction {
        let reason = Response.registeredReason(of: response.status).utf8CodeUnitCount
        return .init(
            line: "HTTP/1.1 200 ".utf8.count + reason + lineEnd,
            headers: response.fields.lineBytes + lineEnd,
            body: Response.allowsContent(response.status, isHead: isHead) ? body(response) : 0
        )
    }

    /// Returns the size of a body that Foundation decodes without reporting the size that it
    /// received.
    private static func body(_ response: borrowing Response) -> Int {
        let body = response.body
        let seen = body.size ?? body.decodedSize ?? body.bytes.count
        let isUnseen = body.isTruncated && seen == 0
        let codings = ContentCoding.list((response.fields.first("Content-Encoding") ?? "").span)
        if isUnseen || !codings.isEmpty,
            let length = response.fields.first("Content-Length")?.span.decimal
        {
            return length
        }
        let coded = codings.isEmpty ? seen : coded(body, seen)
        return response.fields.isChunked ? chunked(coded) : coded
    }

    /// Estimates the encoded size of a decoded body: the size that gzip gives.
    private static func coded(_ body: Body, _ size: Int) -> Int {
        let sample = body.bytes.span.extracting(0..<min(body.bytes.count, sample))
        guard !sample.isEmpty else { return size }
        var output: [UInt8] = []
        guard let encoder = try? ContentEncoder(.gzip),
            (try? encoder.encodeWhole(sample, appendingTo: &output)) != nil
        else { return size }
        return Int(Double(output.count) * (Double(size) / Double(sample.count)))
    }

    /// Returns the size of a body that is sent in one chunk.
    private static func chunked(_ size: Int) -> Int {
        size == 0 ? lastChunk : size + String(size, radix: 16).utf8.count + aroundChunk + lastChunk
    }
}

extension Exchange {
    /// Stores the estimated size in the exchange, without copying it.
    mutating func estimateBytes(_ sending: ByteEstimate.Sending) {
        bytes = ByteEstimate.counts(of: self, sending)
    }
}

extension FieldSection {
    /// The size of all field lines: `name: value`, or `name:` if the value is empty.
    fileprivate var lineBytes: Int {
        indices.reduce(0) { sum, position in
            let value = value(at: position).count
            return sum + name(at: position).count + value + (value == 0 ? 3 : 4)
        }
    }

    /// Whether the body is sent in chunks.
    fileprivate var isChunked: Bool {
        first("Transfer-Encoding").map { $0.description.lowercased().contains("chunked") } ?? false
    }
}
