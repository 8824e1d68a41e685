// SPDX-License-Identifier: MIT

#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
