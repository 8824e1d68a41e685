// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel
internal import TaplineSystem

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension Request {
    /// The head of a request as Foundation stores it; fields that Foundation adds on the wire are
    /// missing.
    ///
    /// Foundation stores fields without order, so they are sorted by name. It adds the fields of the
    /// session's configuration later. Over TLS, libcurl negotiates HTTP/1.1 or HTTP/2, and Foundation
    /// does not show which, so the version is empty.
    init(_ request: URLRequest, of task: URLSessionTask?) {
        let method = ByteString(request.httpMethod ?? "GET")
        let own = request.allHTTPHeaderFields ?? [:]
        let fields = FieldSection(sorting: own, task.map(FoundationTask.additionalFields) ?? [:])
        let text = request.url?.absoluteString ?? ""
        let url = text.utf8.span
        guard let parts = URLParts(url) else {
            self.init(method: method, fields: fields)
            return
        }
        let written = url.extracting(parts.scheme)
        let scheme =
            written.equals("https") || written.equals("http")
            ? ByteString(written) : ByteString(ByteString(written).description.lowercased())
        self.init(
            method: method,
            target: parts.originForm(of: url),
            scheme: scheme,
            // Without the user name and the password that may precede the host.
            authority: ByteString(url.extracting(parts.hostPort)),
            version: scheme == "http" ? "HTTP/1.1" : ByteString(),
            fields: fields
        )
    }
}

extension Response {
    /// The head of a response as Foundation stores it: sorted by name, with repeated fields joined.
    init(_ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode,
            version: ByteString(),
            fields: FieldSection(sorting: FoundationResponse.fields(of: response))
        )
    }
}

extension URLRequest {
    /// Creates a request that a stage has changed; properties that the model does not have are
    /// kept.
    init?(_ changed: Request, in original: URLRequest) {
        guard let url = URL(string: changed.url.description) else { return nil }
        self = original
        self.url = url
        httpMethod = changed.method.description
        allHTTPHeaderFields = [:]
        for position in changed.fields.indices {
            let (name, value) = changed.fields.text(at: position)
            // Foundation sets the length of the body itself.
            if name.lowercased() != "content-length" { addValue(value, forHTTPHeaderField: name) }
        }
        if !changed.body.bytes.isEmpty {
            httpBody = Data(changed.body.bytes)
        } else if original.httpBodyStream == nil {
            httpBody = nil
        }
    }
}

extension HTTPURLResponse {
    /// Whether the final response is still to come (RFC 9110 §15.2); delegates receive such a head
    /// like any other.
    var isInterim: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

    /// Whether Foundation asks for a credential after this response.
    ///
    /// In that case the request has not ended yet, and the app is still notified of a cancellation.
    var isChallenge: Bool {
        statusCode == 401 && value(forHTTPHeaderField: "WWW-Authenticate") != nil
    }

    /// The same response without the field that makes Foundation ask for a credential.
    var withoutChallenge: HTTPURLResponse {
        guard isChallenge, let url else { return self }
        let fields = FoundationResponse.fields(of: self)
            .filter { $0.key.lowercased() != "www-authenticate" }
        return HTTPURLResponse(
            url: url,
            statusCode: statusCode,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        ) ?? self
    }

    /// Creates a response that a stage has made or changed.
    convenience init?(_ response: Response, url: URL?) {
        guard let url else { return nil }
        var fields: [String: String] = [:]
        for position in response.fields.indices {
            let (name, value) = response.fields.text(at: position)
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        self.init(
            url: url,
            statusCode: response.status,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        )
    }
}

extension WholeBody {
    /// A body as Foundation stores it.
    init(_ data: Data) { self.init(count: data.count) { Array(data) } }
}

extension FieldSection {
    /// Creates a section of fields, and of those additional ones whose names it lacks.
    fileprivate init(sorting fields: [String: String], _ additional: [String: String] = [:]) {
        self.init()
        // Counting the bytes would take as long as growing once.
        let count = fields.count + additional.count
        reserveCapacity(fields: count, bytes: count * 48)
        for (name, value) in fields { append(name: name, value: value) }
        for (name, value) in additional where !contains(name) { append(name: name, value: value) }
        sortByName()
    }

    /// Returns a name and a value as Foundation expects them.
    func text(at position: Int) -> (name: String, value: String) {
        (ByteString(name(at: position)).description, ByteString(value(at: position)).description)
    }
}

extension CapturedExchange {
    /// Ends the exchange in one of the ways that Foundation reports.
    func ended(_ error: (any Error)?) {
        switch error {
        case nil: completed()
        case let error as URLError where error.code == .cancelled: cancelled()
        case .some(let error): failed(ExchangeError(error))
        }
    }

    /// Records data that is sent to the server.
    func sends(_ data: Data) -> WholeBody {
        sent(data.span)
        return WholeBody(data)
    }

    /// Records a file that is sent to the server.
    func sends(_ file: URL) { read(file, sent, sent(uncaptured:)) }

    /// Records a file that came from the server.
    func received(_ file: URL) { read(file, received, received(uncaptured:)) }

    /// Reads the first bytes of a file, up to the stored size of a body, and counts the rest.
    private func read(
        _ file: URL,
        _ take: (Span<UInt8>) -> Void,
        _ skip: (Int) -> Void
    ) {
        // Reading anything else consumes data or blocks, and Foundation sends nothing from it.
        guard (try? FileSystem.status(of: file.path))??.kind == .regular,
            let handle = try? FileHandle(forReadingFrom: file)
        else { return }
        defer { try? handle.close() }
        let first = (try? handle.read(upToCount: keptBytes)) ?? Data()
        take(Array(first).span)
        if let size = try? handle.seekToEnd() { skip(max(0, Int(clamping: size) - first.count)) }
    }
}
