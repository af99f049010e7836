/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: its version, for the modules and the tools. dkms.conf has it, too.
 */
#ifndef _LINUX_LTT_VERSION_H
#define _LINUX_LTT_VERSION_H

#define LTT_VERSION	"0.2"

#endif /* _LINUX_LTT_VERSION_H */
