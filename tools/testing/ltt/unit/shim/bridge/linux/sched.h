/* SPDX-License-Identifier: GPL-2.0 */
/* The test has what is needed of it. */
