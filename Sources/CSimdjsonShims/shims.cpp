// SPDX-License-Identifier: MIT

#include "CSimdjsonShims.h"
