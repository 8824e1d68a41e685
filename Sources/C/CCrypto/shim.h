// SPDX-License-Identifier: MIT

#pragma once

// OpenSSL 3 deprecates its direct hash functions in favor of EVP. Tapline needs the direct
// functions: they cannot fail, do not allocate and keep their state in a plain struct. The same
// hash through EVP looks up a provider, counts references and may fail at each call.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
