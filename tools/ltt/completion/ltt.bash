# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of ltt for bash: commands and options are those that ltt itself lists; markers,
# channels and traces are those of the running kernel, if it lets us look.

__ltt_commands()
{
	ltt --help 2> /dev/null | sed -n '/^Commands:/,/^$/s/^  *\([a-z]*\) .*/\1/p'
}

# __ltt_options COMMAND: a line for each, with its value: "-e --event PATTERN", "- --quiet"
__ltt_options()
{
	ltt "$1" --help 2> /dev/null |
		sed -nE 's/^ +(-.,)? *(--[a-z-]+)(\[?=([A-Z]+))?.*/\1 \2 \4/p' |
		sed 's/^ /- /; s/,//'
}

__ltt_markers()
{
	ltt list 2> /dev/null | sed -n '/^#/!s/\t.*//p'
}

__ltt_traces()
{
	ltt status 2> /dev/null | sed -n '/^#/!s/\t.*//p'
}

# __ltt_patterns WORD: all markers of channels that WORD names, or "CHANNEL."
__ltt_patterns()
{
	local not=

	[[ $1 != '!'* ]] || not='!'
	if [[ $1 = *.* ]]; then
		__ltt_markers | sed "s/^/$not/"
		# With a wildcard, but not in place of a name. compgen would expand anything else.
		[[ ! ${1%%.*} =~ ^!?[A-Za-z0-9_*?-]*$ ]] || echo "${1%%.*}.*"
	else
		__ltt_markers | sed "s/\\..*/./; s/^/$not/" | uniq
	fi
}

# __ltt_values KIND WORD: what WORD may become
__ltt_values()
{
	case $1 in
	COMMAND)	compgen -W "$(__ltt_commands)" -- "$2" ;;
	PATTERN)	compgen -W "$(set -f; __ltt_patterns "$2")" -- "$2" ;;
	CHANNEL)	compgen -W "$(__ltt_markers | sed 's/\..*//' | uniq)" -- "$2" ;;
	NAME)		compgen -W "$(__ltt_traces)" -- "$2" ;;
	STYLE)		compgen -W "$(ltt text --style=help 2> /dev/null)" -- "$2" ;;
	SCHEME)		compgen -W "perf lttng ltt" -- "$2" ;;
	MODE)		compgen -W "discard overwrite" -- "$2" ;;
	DIRECTORY|DIR)	compgen -d -- "$2" ;;
	FILE)		compgen -f -- "$2" ;;
	esac
}

# __ltt_operand COMMAND: what its arguments are
__ltt_operand()
{
	case $1 in
	start|stop|destroy|status|text|serve)	echo NAME ;;
	list|pair)			echo PATTERN ;;
	view|plot|export|names|repair)	echo DIR ;;
	crash)				echo FILE ;;
	esac
}

_ltt()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command i
	local kind='' options

	COMPREPLY=()
	# "--style=kv" is three words here.
	if [[ $word = '=' ]]; then
		word=
	elif [[ $before = '=' ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	command=${COMP_WORDS[1]}
	if ((COMP_CWORD == 1)); then
		if [[ $word = -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W '--help --usage --version' -- "$word")
			return
		fi
		kind=COMMAND
	else
		for ((i = 2; i < COMP_CWORD; i++)); do
			# What comes after it is another program's.
			[[ ${COMP_WORDS[i]} != -- ]] || { compopt -o default; return; }
		done
		options=$(__ltt_options "$command")
		if [[ $before = -?* ]]; then
			kind=$(awk -v o="$before" '$1 == o || $2 == o { print $3 }' <<< "$options")
		fi
		if [[ ! $kind && $word = -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(awk '{ print $2 }' <<< "$options")" -- "$word")
			return
		fi
		[[ $kind ]] || kind=$(__ltt_operand "$command")
	fi
	mapfile -t COMPREPLY < <(__ltt_values "$kind" "$word")
	case $kind in
	DIRECTORY|DIR|FILE)
		compopt -o filenames
		;;
	PATTERN)
		# A channel is not the end of it.
		[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *. ]] || compopt -o nospace
		;;
	esac
}

complete -F _ltt ltt
