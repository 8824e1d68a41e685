// SPDX-License-Identifier: MIT

#pragma once

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A session of nghttp2 whose callbacks only append to an array of events, which the caller reads
// after nghttp2 has returned. Fields are stored one after the other, without an allocation for each;
// content is not copied on receipt, and is queued once before it is sent.

#include "types.h"
#include "input.h"
#include "scan.h"
#include "output.h"
#include "session.h"
