// SPDX-License-Identifier: MIT

internal import CKafka

/// A partition of a topic.
package struct KafkaPartition: Sendable, Hashable, Comparable,
    CustomStringConvertible
{
    /// The name of the topic.
    package let topic: String
    /// The number of the partition, from 0.
    package let number: Int32

    /// Creates the name of a partition.
    package init(_ topic: String, _ number: Int32) {
        self.topic = topic
        self.number = number
    }

    /// The form of Kafka's own tools: `traffic[0]`.
    package var description: String { "\(topic)[\(number)]" }

    /// Orders partitions by topic, then by number.
    package static func < (left: KafkaPartition, right: KafkaPartition) -> Bool {
        (left.topic, left.number) < (right.topic, right.number)
    }
}

/// A list of partitions that the library works with.
@safe struct KafkaPartitionList: ~Copyable {
    let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    /// A list of partitions with offsets; without them, each begins where the group left off.
    init?(_ partitions: [(partition: KafkaPartition, offset: Int64?)]) {
        let count = Int32(clamping: partitions.count)
        guard let list = unsafe rd_kafka_topic_partition_list_new(count) else { return nil }
        unsafe pointer = list
        for (partition, offset) in partitions {
            let element = unsafe rd_kafka_topic_partition_list_add(
                list,
                partition.topic,
                partition.number
            )
            if let offset { unsafe element?.pointee.offset = offset }
        }
    }

    init?(_ partitions: [KafkaPartition]) { self.init(partitions.map { ($0, nil) }) }

    deinit { unsafe rd_kafka_topic_partition_list_destroy(pointer) }

    /// The partitions of a list that belongs to the library.
    @unsafe
    static func partitions(
        _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
    ) -> [KafkaPartition] {
        guard let list = unsafe list, let elements = unsafe list.pointee.elems else { return [] }
        return (0..<max(0, Int(unsafe list.pointee.cnt))).map { index in
            let element = unsafe elements[index]
            return unsafe KafkaPartition(KafkaText.of(element.topic), element.partition)
        }
    }
}
