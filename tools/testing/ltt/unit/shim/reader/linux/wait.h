/* SPDX-License-Identifier: GPL-2.0 */
/* See <linux/ltt/trace.h> beside it. */
