// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>
#include <stdint.h>

// A fuzz target, as libFuzzer calls it.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
