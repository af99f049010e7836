// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: a module that is as large as another one.
 */
#define TWIN	twin_first
#include "ltt-test-twin.h"

module_init(twin_first_init);
module_exit(twin_first_exit);
