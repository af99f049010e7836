// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt repair: make trace directories whole whose writers were killed.
 */

#include <signal.h>
#include <stdlib.h>

#include "../common/operands.h"
#include "ltt.h"
#include "../repair/repair.h"

/**
 * ltt_cmd_repair() - ltt repair
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_repair(int argc, char **argv)
{
	static const char doc[] =
		"Repair trace directories: move incomplete data at the end of files into the\n"
		"subdirectory `" REPAIR_DIR "', and complete the index.\v`ltt record' leaves nothing to repair, unless it is killed together with its\n"
		"guard process, or the machine crashes. `ltt view' reads such a directory as it\n"
		"is; other programs may not. Damage elsewhere in the files is reported and left\n"
		"as it is; the exit status is 1 then.";
	int i, first, ret = EXIT_SUCCESS;

	first = operands_parse(argc, argv, "trace directory", "DIRECTORY...", doc);
	/* A file that gets too large is an error, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	for (i = first; i < argc; i++) {
		if (repair_directory(argv[i], false))
			ret = EXIT_FAILURE;
	}
	return ret;
}
