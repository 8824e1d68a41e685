// SPDX-License-Identifier: MIT

#include "CRE2Shims.h"
