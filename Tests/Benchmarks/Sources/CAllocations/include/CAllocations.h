// SPDX-License-Identifier: MIT
#ifndef TAPLINE_ALLOCATIONS_H
#define TAPLINE_ALLOCATIONS_H

/// The number of allocations of the calling thread so far.
unsigned long tapline_allocations(void);

#endif
