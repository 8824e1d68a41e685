// SPDX-License-Identifier: MIT

internal import Foundation

/// A stream that replaces another one, reads it once, and records the bytes read.
///
/// **Isolation**: that of the other stream: one reader at a time.
final class TeeStream: InputStream {
    private let inner: InputStream
    /// The capture of the task that sends the stream.
    let capture: TaskCapture

    init(_ inner: InputStream, _ capture: TaskCapture) {
        self.inner = inner
        self.capture = capture
        super.init(data: Data())
    }

    override func open() { inner.open() }

    override func close() { inner.close() }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let count = unsafe inner.read(buffer, maxLength: maxLength)
        if count > 0 {
            capture.exchange?.sent(unsafe UnsafeBufferPointer(start: buffer, count: count).span)
        }
        return count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override var hasBytesAvailable: Bool { inner.hasBytesAvailable }
    override var streamStatus: Stream.Status { inner.streamStatus }
    override var streamError: (any Error)? { inner.streamError }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? {
        inner.property(forKey: key)
    }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
        inner.setProperty(property, forKey: key)
    }

    override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) {
        inner.schedule(in: loop, forMode: mode)
    }

    override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) {
        inner.remove(from: loop, forMode: mode)
    }
}
