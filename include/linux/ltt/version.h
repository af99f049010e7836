/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the version of the modules and the tools. Also in dkms.conf.
 */
#ifndef _LINUX_LTT_VERSION_H
#define _LINUX_LTT_VERSION_H

#define LTT_VERSION	"0.3"

#endif /* _LINUX_LTT_VERSION_H */
