// SPDX-License-Identifier: MIT

/// How the work, the time and the memory of a call are bounded (limits.c). Part of `internal.h`.

#pragma once

void *limits_allocate(void *state, void *block, size_t old_size, size_t new_size);
/// Sets what follows from the limits alone.
void limits_prepare(vm *lua);
/// Learns how this Lua allocates tables; raises if the way is not known.
void limits_learn_tables(lua_State *L);
void limits_begin(vm *lua);
/// Returns whether the call lasted too long; the state is tripped then.
bool limits_end_late(vm *lua);
void limits_end(vm *lua);
/// `lua_seti` and `lua_rawset` for keys that a script chooses.
void set_entry(lua_State *L, int index, lua_Integer key);
void set_raw_entry(lua_State *L, int index);
void limits_install_hook(lua_State *L);
/// Looks at least as often after a coroutine as after what resumes it, and the other way round.
void limits_follow(lua_State *L, lua_State *thread);
/// `lua_checkstack` for counts that a script chooses.
bool reserve_slots(lua_State *L, int count);
uint64_t now(void);
/// Work that is added up before it is charged, so that a short function costs no reading of the
/// clock.
enum { MOST_UNCHARGED = 1000 };
/// Charges what was added up; raises when a limit is hit, or was before.
void charge_added(lua_State *L);
/// Charges work of that many instructions; raises when a limit is hit.
static inline void charge(lua_State *L, uint64_t work) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) charge_added(L);
    lua->uncharged += (int64_t)(work > INT64_MAX / 4 ? INT64_MAX / 4 : work);
    if (lua->uncharged >= MOST_UNCHARGED) charge_added(L);
}
/// Raises again when a limit was hit before: what every function that catches errors calls.
void raise_if_tripped(lua_State *L);
_Noreturn void trip(lua_State *L, int32_t limit);
/// The line of the innermost function of the script; 0 when there is none. In a module's file the
/// upper bits hold the number of that file (extras.h).
int32_t current_line(lua_State *L);
