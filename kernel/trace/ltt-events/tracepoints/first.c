// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: where the section of bridged events begins. Linked before all objects that
 * have events; modules get no __start_ symbols from the linker.
 */

#include "bridge.h"

const struct ltt_bridge_desc *const ltt_bridge_first[0] __section("ltt_bridge");
