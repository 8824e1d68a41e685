// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Foundation's own protocol objects.
enum FoundationProtocol {
    /// The class that loads what a task asks for; nothing where Foundation says of none that it does.
    static func make(for task: URLSessionTask) -> URLProtocol.Type? {
        guard let request = task.currentRequest else { return nil }
        let classes = URLSessionConfiguration.default.protocolClasses ?? []
        return classes.lazy.compactMap { $0 as? URLProtocol.Type }.first {
            $0.canInit(with: request)
        }
    }

    /// The configuration of a task's session, without what captures it; that of a new session where
    /// Foundation does not let its session be seen.
    ///
    /// **Source**: the stored property `session` of `URLSessionTask`, which is not public.
    static func configuration(of task: URLSessionTask) -> URLSessionConfiguration {
        var mirror: Mirror? = Mirror(reflecting: task)
        var session: URLSession?
        while session == nil, let level = mirror {
            session = level.children.first { $0.label == "session" }?.value as? URLSession
            mirror = level.superclassMirror
        }
        // A copy: Foundation hands out the one that the session works with.
        let copy = session?.configuration.copy() as? URLSessionConfiguration
        let configuration = copy ?? .default
        configuration.protocolClasses = configuration.protocolClasses?.filter {
            !($0 is CapturingProtocol.Type)
        }
        return configuration
    }
}
