// SPDX-License-Identifier: MIT

/// Why a stream or a connection ends (RFC 9113 §7).
@frozen
package struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number on the wire; unknown numbers are kept.
    package let rawValue: UInt32

    /// Makes a code from the number on the wire.
    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The end is not an error.
    package static var noError: Self { Self(rawValue: 0) }
    /// The peer violated the protocol.
    package static var protocolError: Self { Self(rawValue: 1) }
    /// An error of the implementation.
    package static var internalError: Self { Self(rawValue: 2) }
    /// The peer violated the rules of flow control.
    package static var flowControlError: Self { Self(rawValue: 3) }
    /// Settings were not acknowledged in time.
    package static var settingsTimeout: Self { Self(rawValue: 4) }
    /// A frame arrived after its sender had ended the stream.
    package static var streamClosed: Self { Self(rawValue: 5) }
    /// A frame has an invalid size.
    package static var frameSizeError: Self { Self(rawValue: 6) }
    /// The stream was refused before anything was done with it: the request may be repeated.
    package static var refusedStream: Self { Self(rawValue: 7) }
    /// The stream is no longer needed.
    package static var cancel: Self { Self(rawValue: 8) }
    /// The state of header compression is lost.
    package static var compressionError: Self { Self(rawValue: 9) }
    /// The connection of a CONNECT request was reset or closed.
    package static var connectError: Self { Self(rawValue: 10) }
    /// The peer causes too much work.
    package static var enhanceYourCalm: Self { Self(rawValue: 11) }
    /// The properties of TLS are not good enough.
    package static var inadequateSecurity: Self { Self(rawValue: 12) }
    /// The server requires HTTP/1.1 for the request.
    package static var http11Required: Self { Self(rawValue: 13) }

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
        "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in the RFC; the number if it is unknown.
    package var description: String {
        rawValue < Self.names.count ? Self.names[Int(rawValue)] : "error \(rawValue)"
    }
}
