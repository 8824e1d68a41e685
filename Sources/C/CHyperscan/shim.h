// SPDX-License-Identifier: MIT

#pragma once

#include <hs.h>
