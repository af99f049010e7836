// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: what does write() say?
 *
 *	write-errno FILE STRING		write STRING, with \n, \t, \\, \0 and \xNN
 *	write-errno -f FILE INPUT	write the file INPUT in one call
 *
 * Prints the name of the errno of open() or write(), "SHORT" for a partial
 * write, or "OK".
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char hex_byte(const char **text)
{
	char digits[3] = { (*text)[0], (*text)[1] };

	*text += 2;
	return strtol(digits, NULL, 16);
}

static size_t unescape(const char *text, char *out)
{
	size_t len = 0;

	while (*text) {
		char c = *text++;

		if (c == '\\') {
			c = *text++;
			if (c == 'n')
				c = '\n';
			else if (c == 't')
				c = '\t';
			else if (c == '0')
				c = '\0';
			else if (c == 'x')
				c = hex_byte(&text);
		}
		out[len++] = c;
	}
	return len;
}

static size_t slurp(const char *path, char **data)
{
	FILE *file = fopen(path, "rb");
	size_t len = 0, n;

	*data = NULL;
	if (!file) {
		perror(path);
		exit(2);
	}
	do {
		*data = realloc(*data, len + 65536);
		n = fread(*data + len, 1, 65536, file);
		len += n;
	} while (n);
	fclose(file);
	return len;
}

int main(int argc, char **argv)
{
	int from_file = argc == 4 && !strcmp(argv[1], "-f");
	const char *path, *input;
	ssize_t written;
	size_t len;
	char *data;
	int fd;

	if (argc != 3 && !from_file) {
		fprintf(stderr, "usage: write-errno [-f] FILE INPUT\n");
		return 2;
	}
	path = argv[1 + from_file];
	input = argv[2 + from_file];
	if (from_file) {
		len = slurp(input, &data);
	} else {
		data = malloc(strlen(input) + 1);
		len = unescape(input, data);
	}
	fd = open(path, O_WRONLY);
	written = fd < 0 ? -1 : write(fd, data, len);
	if (written < 0)
		puts(strerrorname_np(errno));
	else if ((size_t)written < len)
		puts("SHORT");
	else
		puts("OK");
	free(data);
	return 0;
}
