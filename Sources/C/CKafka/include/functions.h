// SPDX-License-Identifier: MIT

#pragma once

/// The functions of librdkafka that Tapline calls; its tests call those of the mock brokers.
#define TAPLINE_KAFKA_FUNCTIONS(F) \
    F(rd_kafka_assign) \
    F(rd_kafka_assignment_lost) \
    F(rd_kafka_commit_queue) \
    F(rd_kafka_conf_destroy) \
    F(rd_kafka_conf_new) \
    F(rd_kafka_conf_set) \
    F(rd_kafka_conf_set_events) \
    F(rd_kafka_conf_set_log_cb) \
    F(rd_kafka_consumer_close_queue) \
    F(rd_kafka_consumer_closed) \
    F(rd_kafka_destroy_flags) \
    F(rd_kafka_err2str) \
    F(rd_kafka_error_destroy) \
    F(rd_kafka_error_string) \
    F(rd_kafka_event_destroy) \
    F(rd_kafka_event_error) \
    F(rd_kafka_event_error_is_fatal) \
    F(rd_kafka_event_error_string) \
    F(rd_kafka_event_log) \
    F(rd_kafka_event_message_next) \
    F(rd_kafka_event_topic_partition) \
    F(rd_kafka_event_topic_partition_list) \
    F(rd_kafka_event_type) \
    F(rd_kafka_fatal_error) \
    F(rd_kafka_get_watermark_offsets) \
    F(rd_kafka_incremental_assign) \
    F(rd_kafka_incremental_unassign) \
    F(rd_kafka_new) \
    F(rd_kafka_pause_partitions) \
    F(rd_kafka_poll_set_consumer) \
    F(rd_kafka_producev) \
    F(rd_kafka_queue_destroy) \
    F(rd_kafka_queue_get_consumer) \
    F(rd_kafka_queue_get_main) \
    F(rd_kafka_queue_new) \
    F(rd_kafka_queue_poll) \
    F(rd_kafka_queue_yield) \
    F(rd_kafka_rebalance_protocol) \
    F(rd_kafka_resume_partitions) \
    F(rd_kafka_set_log_queue) \
    F(rd_kafka_subscribe) \
    F(rd_kafka_topic_name) \
    F(rd_kafka_topic_partition_destroy) \
    F(rd_kafka_topic_partition_list_add) \
    F(rd_kafka_topic_partition_list_destroy) \
    F(rd_kafka_topic_partition_list_new) \
    F(rd_kafka_version) \
    F(rd_kafka_mock_broker_set_down) \
    F(rd_kafka_mock_broker_set_up) \
    F(rd_kafka_mock_cluster_bootstraps) \
    F(rd_kafka_mock_cluster_destroy) \
    F(rd_kafka_mock_cluster_new) \
    F(rd_kafka_mock_partition_set_leader) \
    F(rd_kafka_mock_push_request_errors_array) \
    F(rd_kafka_mock_topic_create) \
    F(rd_kafka_mock_topic_set_error)
