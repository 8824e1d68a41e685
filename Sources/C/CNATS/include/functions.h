// SPDX-License-Identifier: MIT

#pragma once

/// The functions of libnats that Tapline calls.
#define TAPLINE_NATS_FUNCTIONS(F) \
    F(jsConsumerConfig_Init) \
    F(jsConsumerInfo_Destroy) \
    F(jsCtx_Destroy) \
    F(jsOptions_Init) \
    F(jsPubOptions_Init) \
    F(jsStreamConfig_Init) \
    F(jsStreamInfo_Destroy) \
    F(jsSubOptions_Init) \
    F(js_AddConsumer) \
    F(js_AddStream) \
    F(js_GetConsumerInfo) \
    F(js_GetStreamInfo) \
    F(js_PublishMsgAsync) \
    F(js_PullSubscribe) \
    F(natsConnection_Close) \
    F(natsConnection_Connect) \
    F(natsConnection_Destroy) \
    F(natsConnection_FlushTimeout) \
    F(natsConnection_GetConnectedUrl) \
    F(natsConnection_GetLastError) \
    F(natsConnection_GetMaxPayload) \
    F(natsConnection_IsClosed) \
    F(natsConnection_JetStream) \
    F(natsConnection_Publish) \
    F(natsConnection_Status) \
    F(natsMsgHeader_Get) \
    F(natsMsgList_Destroy) \
    F(natsMsg_Create) \
    F(natsMsg_Destroy) \
    F(natsMsg_GetData) \
    F(natsMsg_GetDataLength) \
    F(natsMsg_GetReply) \
    F(natsOptions_Create) \
    F(natsOptions_Destroy) \
    F(natsOptions_LoadCATrustedCertificates) \
    F(natsOptions_LoadCertificatesChain) \
    F(natsOptions_SetClosedCB) \
    F(natsOptions_SetDisconnectedCB) \
    F(natsOptions_SetErrorHandler) \
    F(natsOptions_SetFailRequestsOnDisconnect) \
    F(natsOptions_SetMaxPendingMsgs) \
    F(natsOptions_SetMaxReconnect) \
    F(natsOptions_SetName) \
    F(natsOptions_SetPingInterval) \
    F(natsOptions_SetReconnectJitter) \
    F(natsOptions_SetReconnectWait) \
    F(natsOptions_SetReconnectedCB) \
    F(natsOptions_SetSecure) \
    F(natsOptions_SetServers) \
    F(natsOptions_SetTimeout) \
    F(natsOptions_SetToken) \
    F(natsOptions_SetUserCredentialsFromFiles) \
    F(natsOptions_SetUserInfo) \
    F(natsOptions_SetWriteDeadline) \
    F(natsOptions_SkipServerVerification) \
    F(natsStatus_GetText) \
    F(natsSubscription_Destroy) \
    F(natsSubscription_Fetch) \
    F(natsSubscription_SetPendingLimits) \
    F(natsSubscription_Unsubscribe) \
    F(nats_GetLastError)
