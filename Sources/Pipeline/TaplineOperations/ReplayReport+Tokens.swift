// SPDX-License-Identifier: MIT

extension ReplayReport {
    /// What became of sessions and tokens.
    package struct Tokens: Sendable {
        /// A text and how often it applied.
        package struct Counted: Sendable, Equatable {
            package let text: String
            package var count: Int

            package init(text: String, count: Int) {
                self.text = text
                self.count = count
            }
        }

        /// The tokens, and how often each was sent back in the recording.
        package var bindings: [Counted] = []
        /// The places of masks in requests that were not sent, and how many have one there.
        package var maskedPlaces: [Counted] = []
        /// Requests that waited for an answer.
        package var waited = 0
        /// Requests in which tokens were replaced.
        package var bound = 0
        /// Requests with a token for which the server handed out none; the recorded one was sent.
        package var missing = 0
        /// Requests that were sent with a mask.
        package var masked = 0
        /// Tokens that were forgotten because there were too many.
        package var forgotten = 0

        package init() {}
    }
}
