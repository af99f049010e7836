// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: a module that is as large as another one.
 */
#define TWIN	twin_second
#include "ltt-test-twin.h"

module_init(twin_second_init);
module_exit(twin_second_exit);
