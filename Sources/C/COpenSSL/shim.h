// SPDX-License-Identifier: MIT

#pragma once

// OpenSSL 3 deprecates EC_KEY, which `tapline_public_part` needs.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Functions for macros and variadic functions of OpenSSL, neither of which Swift can call.

static inline EVP_PKEY *tapline_make_p256_key(void) {
    return EVP_EC_gen("P-256");
}

// The public part of a P-256 key in the older form. Adding a key to a certificate takes 220
// microseconds in the newer form, which looks up an encoder and a decoder each time, and four in
// this one. Does not consume a reference to the key; returns NULL if memory is exhausted.
static inline EVP_PKEY *tapline_public_part(EVP_PKEY *key) {
    const EC_KEY *whole = EVP_PKEY_get0_EC_KEY(key);
    EC_KEY *part = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    EVP_PKEY *result = EVP_PKEY_new();
    if (whole && part && result && EC_KEY_set_public_key(part, EC_KEY_get0_public_key(whole))
        && EVP_PKEY_assign_EC_KEY(result, part)) {
        return result;
    }
    EC_KEY_free(part);
    EVP_PKEY_free(result);
    return NULL;
}

static inline void tapline_ctx_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline int tapline_ctx_set_versions(SSL_CTX *context, int lowest, int highest) {
    return SSL_CTX_set_min_proto_version(context, lowest)
        && SSL_CTX_set_max_proto_version(context, highest);
}

static inline int tapline_ctx_set_groups(SSL_CTX *context, const char *groups) {
    return (int)SSL_CTX_set1_groups_list(context, groups);
}

static inline void tapline_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int tapline_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// Whether a certificate has a host or an address as a subject alternative name.
static inline int tapline_names_hosts(const X509 *certificate) {
    GENERAL_NAMES *names = (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name,
                                                              NULL, NULL);
    int found = 0;
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        int type = sk_GENERAL_NAME_value(names, i)->type;
        if (type == GEN_DNS || type == GEN_IPADD) found = 1;
    }
    GENERAL_NAMES_free(names);
    return found;
}

static inline void tapline_set_message_argument(SSL *ssl, void *argument) {
    SSL_set_msg_callback_arg(ssl, argument);
}

static inline void tapline_bio_ask_again(BIO *bio) {
    BIO_set_retry_read(bio);
}

static inline void tapline_bio_clear_retry(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

static const uint64_t tapline_op_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
static const uint64_t tapline_op_no_compression = SSL_OP_NO_COMPRESSION;
static const uint64_t tapline_op_server_preference = SSL_OP_CIPHER_SERVER_PREFERENCE;

// Parts separated by ", ", UTF-8 unchanged, control characters escaped.
static const unsigned long tapline_name_flags =
    (XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) & ~XN_FLAG_SPC_EQ;

// Sets Java's attribute for a trusted certificate in a bag of PKCS #12; returns 1 on success. The
// value is a key usage (any), which OpenSSL accepts only as an object.
static inline int tapline_mark_trusted(PKCS12_SAFEBAG *bag) {
    ASN1_OBJECT *any = OBJ_txt2obj("2.5.29.37.0", 1);
    int done = any
        && PKCS12_add1_attr_by_txt(bag, "2.16.840.1.113894.746875.1.1", V_ASN1_OBJECT,
                                   (const unsigned char *)any, -1);
    ASN1_OBJECT_free(any);
    return done;
}

// All certificates of a text as a trust store for Java: without keys, and with a password that
// protects only its integrity. Takes no ownership; returns NULL if memory is exhausted.
static inline PKCS12 *tapline_make_java_store(BIO *text, const char *password,
                                              pem_password_cb *refuse) {
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    STACK_OF(PKCS7) *safes = NULL;
    PKCS12 *store = NULL;
    X509 *certificate;
    int done = 1;
    while (done && (certificate = PEM_read_bio_X509(text, NULL, refuse, NULL))) {
        PKCS12_SAFEBAG *bag = PKCS12_add_cert(&bags, certificate);
        done = bag && tapline_mark_trusted(bag);
        X509_free(certificate);
    }
    // The end of the text is not an error, but OpenSSL records one.
    ERR_clear_error();
    if (done && bags && PKCS12_add_safe(&safes, bags, -1, 0, NULL)) {
        store = PKCS12_add_safes(safes, 0);
    }
    if (store && !PKCS12_set_mac(store, password, -1, NULL, 0, 0, EVP_sha256())) {
        PKCS12_free(store);
        store = NULL;
    }
    sk_PKCS7_pop_free(safes, PKCS7_free);
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return store;
}
