// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: where the section of bridged events ends. Linked behind all objects that have
 * events.
 */

#include "bridge.h"

const struct ltt_bridge_desc *const ltt_bridge_last[0] __section("ltt_bridge");
