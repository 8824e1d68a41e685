// SPDX-License-Identifier: MIT

package import TaplineHTTP

/// The limits of an HTTP/2 connection.
package struct HTTP2Limits: Sendable, Equatable {
    /// The limits of heads and trailers, decoded; a name and a value count 32 bytes more than they
    /// have (RFC 9113 §6.5.2).
    package var messages: HTTPLimits
    /// The number of streams that the peer may have open at a time; default 128.
    package var streams: Int
    /// What `streamWindow` is for a stream whose content was not consumed yet; default 16 KiB.
    package var firstWindow: Int
    /// What `unsent` is for a stream whose content was not sent yet; default 8 KiB.
    ///
    /// It is less than `firstWindow`, so that a full queue also stops the peer that fills it.
    package var firstUnsent = 8 * 1024
    /// The number of bytes of a stream's content that may be received and not yet consumed; default
    /// 256 KiB.
    package var streamWindow: Int
    /// The number of bytes of all streams' content that may be received and not yet consumed;
    /// default 1 MiB.
    package var connectionWindow: Int
    /// The size of the table that the peer may compress its fields with; default 4 KiB.
    package var receivedTable: Int
    /// The maximum size of the table that our fields are compressed with, if the peer allows as
    /// much; default 4 KiB.
    package var sentTable: Int
    /// The maximum size of a received frame's payload, 16 KiB (default) to 16 MiB.
    package var frame: Int
    /// The number of bytes of a stream's unsent content at which it stops being writable; default
    /// 64 KiB.
    package var unsent: Int
    /// The number of CONTINUATION frames after one HEADERS frame; default 8.
    package var continuations: Int
    /// Whether clients are told that they may use extended CONNECT (RFC 8441); by default they are.
    package var announcesExtendedConnect = true
    /// The frames of the peer that cost us work and carry nothing.
    package var frames: HTTP2FrameLimits

    /// Makes limits.
    package init(
        messages: HTTPLimits = HTTPLimits(),
        streams: Int = 128,
        firstWindow: Int = 16 * 1024,
        streamWindow: Int = 256 * 1024,
        connectionWindow: Int = 1024 * 1024,
        receivedTable: Int = 4096,
        sentTable: Int = 4096,
        frame: Int = 16 * 1024,
        unsent: Int = 64 * 1024,
        continuations: Int = 8,
        frames: HTTP2FrameLimits = HTTP2FrameLimits()
    ) {
        self.messages = messages
        self.streams = streams
        self.firstWindow = firstWindow
        self.streamWindow = streamWindow
        self.connectionWindow = connectionWindow
        self.receivedTable = receivedTable
        self.sentTable = sentTable
        self.frame = frame
        self.unsent = unsent
        self.continuations = continuations
        self.frames = frames
    }
}

/// How many frames of the peer that carry nothing are processed, beyond those that useful work pays
/// for.
///
/// **Units**: frames that may come at once; each budget refills within `seconds`.
package struct HTTP2FrameLimits: Sendable, Equatable {
    /// Streams that the peer resets, or that are reset because of its errors; default 1,000.
    package var resets: Int
    /// PING frames; default 1,000.
    package var pings: Int
    /// SETTINGS frames; default 100.
    package var settings: Int
    /// PRIORITY frames, which are ignored; default 1,000.
    ///
    /// Unknown frames are skipped, which costs nothing.
    package var ignored: Int
    /// WINDOW_UPDATE frames; default 4,000.
    package var windowUpdates: Int
    /// DATA, HEADERS and CONTINUATION frames without a payload that do not end a stream; default
    /// 100.
    package var empty: Int
    /// The number of seconds after which a used-up budget is full again; default 30.
    package var seconds: Int

    /// Makes limits.
    package init(
        resets: Int = 1000,
        pings: Int = 1000,
        settings: Int = 100,
        ignored: Int = 1000,
        windowUpdates: Int = 4000,
        empty: Int = 100,
        seconds: Int = 30
    ) {
        self.resets = resets
        self.pings = pings
        self.settings = settings
        self.ignored = ignored
        self.windowUpdates = windowUpdates
        self.empty = empty
        self.seconds = seconds
    }
}
