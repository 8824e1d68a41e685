// SPDX-License-Identifier: MIT

/// A source whose threads can prove that they still run.
///
/// What a source offers as its `RequestSender` may conform too.
///
/// **Isolation**: any thread.
package protocol ThreadProbe: Sendable {
    /// Calls back, once, when each of its threads has got to this call.
    ///
    /// Never calls back while a thread is stuck.
    func probe(_ answered: @escaping @Sendable () -> Void)
}
