// SPDX-License-Identifier: MIT

/// Loads a library of the system when it is first needed, so that no program links it.
///
/// A module for such a library has a list of the functions that it calls, as a macro that applies
/// another one to each name: `#define FUNCTIONS(F) F(one) F(two)`. Its header applies
/// TAPLINE_RENAMED to the list, then includes the header of the library; its only source file
/// applies TAPLINE_STUB and TAPLINE_ENTRY. A call of `one` is then a call of our `tapline_one`,
/// which jumps to the function of the library. A function that the list lacks is unknown to the
/// linker.

#pragma once

#include <stdbool.h>
#include <stddef.h>

/// A function of a library, and where its address belongs.
typedef struct tapline_function {
    const char *name;
    void **address;
} tapline_function;

/// Loads a library, for as long as the process runs, and stores the addresses of its functions.
///
/// Returns false if the library or one of the functions is missing: then no address is stored, and
/// `error` contains the reason in words, with a zero byte at its end, cut to `size` bytes.
bool tapline_load(
    const char *library, const tapline_function *functions, size_t count, char *error, size_t size);

/// Ends the process, since a function of a library was called before the library was loaded.
_Noreturn void tapline_abort_unloaded(const char *library);

/// Gives a function of the library the name of our stub. The prefix keeps the stubs apart from the
/// library itself, which an app may link.
#define TAPLINE_RENAMED(name) TAPLINE_PRAGMA(redefine_extname name tapline_##name)
#define TAPLINE_PRAGMA(words) _Pragma(#words)

// A jump keeps all registers with arguments and the stack, so it is right for every signature, also
// a variadic one. The register x16 is the linker's, which may change it in any call.
#if defined(__x86_64__)
#define TAPLINE_JUMP(address) "jmp *" address "(%rip)\n"
#elif defined(__aarch64__)
#define TAPLINE_JUMP(address) \
    "adrp x16, " address "\n" \
    "ldr x16, [x16, #:lo12:" address "]\n" \
    "br x16\n"
#else
#error "no jump for this processor"
#endif

/// Defines the stub of a function. Before the library is loaded, it calls `unloaded`.
#define TAPLINE_STUB(name) \
    __attribute__((used)) static void *address_of_##name = (void *)unloaded; \
    __asm__( \
        ".pushsection .text\n" \
        ".globl tapline_" #name "\n" \
        ".type tapline_" #name ", %function\n" \
        ".p2align 4\n" \
        "tapline_" #name ":\n" \
        ".cfi_startproc\n" \
        TAPLINE_JUMP("address_of_" #name) \
        ".cfi_endproc\n" \
        ".size tapline_" #name ", . - tapline_" #name "\n" \
        ".popsection\n");

/// The function's element of an array of `tapline_function`.
#define TAPLINE_ENTRY(name) {#name, &address_of_##name},
