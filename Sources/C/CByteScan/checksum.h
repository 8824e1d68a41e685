// SPDX-License-Identifier: MIT

// The CRC-32 of gzip by carry-less multiplication, as in "Fast CRC Computation for Generic
// Polynomials Using PCLMULQDQ Instruction" (Gopal and others, Intel, 2009).

#ifndef TAPLINE_CHECKSUM_H
#define TAPLINE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__linux__)

typedef long long tapline_lanes __attribute__((vector_size(16)));
typedef long long tapline_loose_lanes __attribute__((vector_size(16), aligned(1)));

#define TAPLINE_CLMUL __attribute__((target("pclmul,sse4.1")))

/// Whether the processor can multiply without carries.
static inline _Bool tapline_can_fold(void) { return __builtin_cpu_supports("pclmul"); }

/// Multiplies both halves by their constants, and adds the bytes at this distance.
static inline TAPLINE_CLMUL tapline_lanes
tapline_fold_lanes(tapline_lanes value, tapline_lanes constants, tapline_lanes next) {
    return __builtin_ia32_pclmulqdq128(value, constants, 0x00)
        ^ __builtin_ia32_pclmulqdq128(value, constants, 0x11) ^ next;
}

static inline TAPLINE_CLMUL tapline_lanes tapline_lanes_at(const uint8_t *bytes) {
    return *(const tapline_loose_lanes *)bytes;
}

/// The checksum of at least 64 bytes whose number is a multiple of 16; `crc` is that of the bytes
/// before them.
static inline TAPLINE_CLMUL uint32_t
tapline_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
    const tapline_lanes by64 = {0x154442bd4, 0x1c6e41596};
    const tapline_lanes by16 = {0x1751997d0, 0x0ccaa009e};
    const tapline_lanes by8 = {0x163cd6124, 0};
    const tapline_lanes barrett = {0x1db710641, 0x1f7011641};
    const tapline_lanes low = {0xffffffff, 0xffffffff};
    tapline_lanes a = tapline_lanes_at(bytes) ^ (tapline_lanes){(uint32_t)~crc, 0};
    tapline_lanes b = tapline_lanes_at(bytes + 16);
    tapline_lanes c = tapline_lanes_at(bytes + 32);
    tapline_lanes d = tapline_lanes_at(bytes + 48);
    size_t at = 64;
    for (; count - at >= 64; at += 64) {
        a = tapline_fold_lanes(a, by64, tapline_lanes_at(bytes + at));
        b = tapline_fold_lanes(b, by64, tapline_lanes_at(bytes + at + 16));
        c = tapline_fold_lanes(c, by64, tapline_lanes_at(bytes + at + 32));
        d = tapline_fold_lanes(d, by64, tapline_lanes_at(bytes + at + 48));
    }
    a = tapline_fold_lanes(a, by16, b);
    a = tapline_fold_lanes(a, by16, c);
    a = tapline_fold_lanes(a, by16, d);
    for (; count - at >= 16; at += 16) a = tapline_fold_lanes(a, by16, tapline_lanes_at(bytes + at));
    // From 128 bits to 64, to 32, and to the remainder.
    a = (tapline_lanes){a[1], 0} ^ __builtin_ia32_pclmulqdq128(a, by16, 0x10);
    uint64_t first = (uint64_t)a[0], second = (uint64_t)a[1];
    tapline_lanes rest = {(long long)(first >> 32 | second << 32), (long long)(second >> 32)};
    a = __builtin_ia32_pclmulqdq128(a & low, by8, 0x00) ^ rest;
    b = __builtin_ia32_pclmulqdq128(a & low, barrett, 0x10);
    b = __builtin_ia32_pclmulqdq128(b & low, barrett, 0x00);
    return ~(uint32_t)((uint64_t)(a[0] ^ b[0]) >> 32);
}

#else

static inline _Bool tapline_can_fold(void) { return 0; }

static inline uint32_t tapline_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return crc;
}

#endif

#endif
