// SPDX-License-Identifier: MIT

#pragma once

// OpenSSL 3 marks its direct hash functions as deprecated in favour of EVP. They are what is
// wanted here: they cannot fail, allocate nothing and keep their state in a plain struct, while
// the same hash through EVP looks up a provider, counts references and may fail at each call.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
