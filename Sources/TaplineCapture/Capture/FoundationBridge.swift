// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineFiles
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension Request {
    /// The head of a request as Foundation holds it; what it adds on the wire is missing.
    ///
    /// Foundation keeps fields in no order, so they stand by name.
    init(_ request: URLRequest) {
        let method = ByteString(request.httpMethod ?? "GET")
        let fields =
            request.allHTTPHeaderFields.map(FieldSection.init(sorting:)) ?? FieldSection()
        let text = request.url?.absoluteString ?? ""
        let url = text.utf8.span
        guard let parts = URLParts(url) else {
            self.init(method: method, fields: fields)
            return
        }
        let scheme = url.extracting(parts.scheme)
        self.init(
            method: method,
            target: parts.originForm(of: url),
            scheme: scheme.equals("https") || scheme.equals("http")
                ? ByteString(scheme) : ByteString(ByteString(scheme).description.lowercased()),
            // Without the name and the password that may stand before the host.
            authority: ByteString(url.extracting(parts.hostPort)),
            fields: fields
        )
    }
}

extension Response {
    /// The head of a response as Foundation holds it: fields of one name are joined, and stand by
    /// name.
    init(_ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode,
            version: ByteString(),
            fields: FieldSection(sorting: FoundationResponse.fields(of: response))
        )
    }
}

extension URLRequest {
    /// A request that a stage has changed; what the model does not know of it stays.
    init?(_ changed: Request, in original: URLRequest) {
        guard let url = URL(string: changed.url.description) else { return nil }
        self = original
        self.url = url
        httpMethod = changed.method.description
        allHTTPHeaderFields = [:]
        for position in changed.fields.indices {
            let (name, value) = changed.fields.text(at: position)
            // Foundation counts the body itself.
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
    /// Whether the response itself is yet to come (RFC 9110 §15.2); delegates are told of such a head
    /// like of any other.
    var isInterim: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

    /// Whether Foundation asks for a credential where it ends: then that is not the end yet, and
    /// whoever gives up wants to be told.
    var isChallenge: Bool {
        statusCode == 401 && value(forHTTPHeaderField: "WWW-Authenticate") != nil
    }

    /// The same, for which Foundation asks for no credential.
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

    /// A response that a stage has made or changed.
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
    /// A body as Foundation holds it.
    init(_ data: Data) { self.init(count: data.count) { Array(data) } }
}

extension FieldSection {
    fileprivate init(sorting fields: [String: String]) {
        self.init()
        // To count them takes as long as to grow once.
        reserveCapacity(fields: fields.count, bytes: fields.count * 48)
        for (name, value) in fields { append(name: name, value: value) }
        sortByName()
    }

    /// Name and value as Foundation takes them.
    func text(at position: Int) -> (name: String, value: String) {
        (ByteString(name(at: position)).description, ByteString(value(at: position)).description)
    }
}

extension CapturedExchange {
    /// It is over, in one of the ways that Foundation tells.
    func ended(_ error: (any Error)?) {
        switch error {
        case nil: completed()
        case let error as URLError where error.code == .cancelled: cancelled()
        case .some(let error): failed(ExchangeError(error))
        }
    }

    /// Data go to the server.
    func sends(_ data: Data) -> WholeBody {
        sent(data.span)
        return WholeBody(data)
    }

    /// A file goes to the server.
    func sends(_ file: URL) { read(file, sent, sent(unkept:)) }

    /// A file came from the server.
    func received(_ file: URL) { read(file, received, received(unkept:)) }

    /// Takes the first bytes of a file, as many as are kept of a body, and the number of the others.
    private func read(
        _ file: URL,
        _ take: (Span<UInt8>) -> Void,
        _ skip: (Int) -> Void
    ) {
        // Of all else reading takes something away, or waits, and Foundation sends nothing of it.
        guard (try? FileSystem.status(of: file.path))??.kind == .regular,
            let handle = try? FileHandle(forReadingFrom: file)
        else { return }
        defer { try? handle.close() }
        let first = (try? handle.read(upToCount: keptBytes)) ?? Data()
        take(Array(first).span)
        if let size = try? handle.seekToEnd() { skip(max(0, Int(clamping: size) - first.count)) }
    }
}
