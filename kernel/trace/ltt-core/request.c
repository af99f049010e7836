// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: requests that are written to the files in ltt/.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/trace.h>

/**
 * ltt_request_fetch() - take a request from user space
 * @ubuf:	what was written
 * @count:	its bytes
 * @max:	most bytes of a request
 * @request:	receives a copy, without the blanks at its end, those at its beginning
 *		included; NULL if there is none. To be given to kfree(), whatever is
 *		returned
 * @error:	says what is wrong; may be NULL
 *
 * A request may be empty. One with a NUL byte is copied all the same: what comes before
 * the NUL can be shown.
 *
 * Context: task, may sleep.
 * Return: 0; -E2BIG if there are more than @max bytes, -EINVAL if there is a NUL byte,
 * -EFAULT, -ENOMEM.
 */
int ltt_request_fetch(const char __user *ubuf, size_t count, size_t max, char **request,
		      struct ltt_error *error)
{
	const char *nul;
	char *copy;

	*request = NULL;
	if (count > max)
		return ltt_fail(error, -E2BIG, "%zu bytes, more than %zu", count, max);
	copy = memdup_user_nul(ubuf, count);
	if (IS_ERR(copy))
		return ltt_fail(error, PTR_ERR(copy), "the request cannot be copied");
	*request = copy;
	nul = memchr(copy, '\0', count);
	if (nul)
		return ltt_fail(error, -EINVAL, "column %td: NUL byte", nul - copy + 1);
	strim(copy);
	return 0;
}
EXPORT_SYMBOL_GPL(ltt_request_fetch);
