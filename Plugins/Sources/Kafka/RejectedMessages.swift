// SPDX-License-Identifier: MIT

internal import TaplineKafkaClient
internal import TaplinePlugin

/// Counts and logs messages that are not records.
///
/// Each of the first five is logged, then every count that is a power of two.
struct RejectedMessages {
    private let intake: any Intake
    private var count = 0

    init(_ intake: any Intake) { self.intake = intake }

    /// Counts a message; the reason contains none of its data.
    mutating func note(_ message: KafkaMessage, _ reason: String) {
        count += 1
        intake.rejected(1)
        guard count <= 5 || count & (count - 1) == 0 else { return }
        let number = count > 5 ? " (\(count) so far)" : ""
        intake.log.warning(
            "\(message.partition) offset \(message.offset): not a record: \(reason)\(number)"
        )
    }
}
