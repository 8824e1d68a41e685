// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet

/// A connection to a parent proxy during a request for a tunnel (RFC 9110 §9.3.6).
///
/// **Shape**: the connection holds it as its delegate until the response has arrived or the
/// connection is closed.
final class ParentTunnel: ConnectionDelegate {
    /// The result: the bytes that the server has already sent through the open tunnel, or the
    /// failure.
    typealias Done = (Result<[UInt8], ExchangeFailure>) -> Void

    private let socket: TCPConnection
    private var parser: ResponseParser
    private var input: [UInt8] = []
    private var done: Done?
    private var timer: LoopTimer?
    private var credentialsAdvice = ""

    init(_ socket: TCPConnection, limits: HTTPLimits, _ done: @escaping Done) {
        self.socket = socket
        self.done = done
        parser = ResponseParser(limits: limits)
    }

    /// Requests a tunnel to a server; times out after `limit`.
    func begin(to server: Origin, through parent: ParentProxy, limit: Microseconds) {
        credentialsAdvice = parent.credentialsAdvice
        socket.delegate = self
        let timer = LoopTimer(on: socket.loop) { [weak self] in
            self?.end(.failure(.init(NetError(.connectTimeout, "the parent proxy did not answer"))))
        }
        timer.arm(after: limit)
        self.timer = timer
        let authority = server.hostPort
        let request = Request(method: "CONNECT", target: authority, authority: authority)
        let writing = RequestWriting(
            form: .authority,
            host: authority,
            proxyAuthorization: parent.authorization
        )
        var output: [UInt8] = []
        do throws(HTTPError) {
            try HeadWriter.append(request, writing, to: &output)
        } catch {
            return end(.failure(ExchangeFailure(error)))
        }
        socket.write(output.span)
        socket.startReading()
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        input.append(copying: bytes)
        do throws(HTTPError) {
            while let head = try parser.parse(input.span, answering: RequestKind(isConnect: true)) {
                input.removeFirst(head.byteCount)
                if head.isInterim { continue }
                let isOpen = head.becomesTunnel
                return end(isOpen ? .success(input) : .failure(refusal(head.response.status)))
            }
        } catch {
            end(.failure(ExchangeFailure(error)))
        }
    }

    func connectionDrained(_ connection: TCPConnection) {}

    func connectionEndedInput(_ connection: TCPConnection) { end(.failure(.parentClosed)) }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        end(.failure(error.map { ExchangeFailure($0) } ?? .parentClosed))
    }

    /// Returns why the parent proxy opens no tunnel.
    private func refusal(_ status: Int) -> ExchangeFailure {
        ExchangeFailure(
            code: "parent_refused",
            message: "the parent proxy answered CONNECT with \(status)"
                + (status == 407 ? credentialsAdvice : "")
        )
    }

    private func end(_ result: Result<[UInt8], ExchangeFailure>) {
        timer = nil
        guard let done = done.take() else { return }
        // Later input is for the next delegate of the connection.
        if case .success = result { socket.pauseReading() } else { socket.abandon() }
        done(result)
    }
}

extension ExchangeFailure {
    /// The same failure, for the connection to the parent proxy.
    var ofParent: ExchangeFailure {
        ExchangeFailure(code: code, message: "the parent proxy: \(message)", status: status)
    }

    /// The parent proxy closed the connection instead of responding.
    fileprivate static let parentClosed = ExchangeFailure(
        code: "closed_early",
        message: "the parent proxy closed the connection before it answered CONNECT"
    )
}
