/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ltt view: a recorded trace as text.
 */
#ifndef _LTT_VIEW_H
#define _LTT_VIEW_H

int ltt_cmd_view(int argc, char **argv);

#endif /* _LTT_VIEW_H */
