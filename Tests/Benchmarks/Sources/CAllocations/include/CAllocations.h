// SPDX-License-Identifier: MIT
#ifndef TAPLINE_ALLOCATIONS_H
#define TAPLINE_ALLOCATIONS_H

/// How many blocks the calling thread has asked for so far.
unsigned long tapline_allocations(void);

#endif
