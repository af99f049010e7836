/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the subcommands of the ltt command.
 *
 * Each is called with the arguments after its name in argv[1] and on; argv[0] is
 * "ltt NAME", for messages. It returns the exit status: 0, or 1 after a failure. Wrong
 * usage ends the process with LTT_EXIT_USAGE.
 */
#ifndef _LTT_TOOL_H
#define _LTT_TOOL_H

#define LTT_EXIT_USAGE	2

int ltt_cmd_crash(int argc, char **argv);
int ltt_cmd_create(int argc, char **argv);
int ltt_cmd_destroy(int argc, char **argv);
int ltt_cmd_export(int argc, char **argv);
int ltt_cmd_names(int argc, char **argv);
int ltt_cmd_plot(int argc, char **argv);
int ltt_cmd_flight(int argc, char **argv);
int ltt_cmd_list(int argc, char **argv);
int ltt_cmd_pair(int argc, char **argv);
int ltt_cmd_plan(int argc, char **argv);
int ltt_cmd_record(int argc, char **argv);
int ltt_cmd_repair(int argc, char **argv);
int ltt_cmd_serve(int argc, char **argv);
int ltt_cmd_start(int argc, char **argv);
int ltt_cmd_status(int argc, char **argv);
int ltt_cmd_stop(int argc, char **argv);
int ltt_cmd_text(int argc, char **argv);
int ltt_cmd_view(int argc, char **argv);

#endif /* _LTT_TOOL_H */
