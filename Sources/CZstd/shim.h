// SPDX-License-Identifier: MIT

#pragma once

#include <zstd.h>
