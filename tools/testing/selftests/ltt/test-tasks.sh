#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=2400 UML=1 RACES=1
#
# traces/NAME/tasks: every event of those that it names, none of others. What is right is told
# by a trace of everybody beside it, and by ftrace.

. "$(dirname "$0")/lib.sh"
. "$here/lib/record.sh"
tracefs=/sys/kernel/tracing
mountpoint -q $tracefs || mount -t tracefs none $tracefs
kernel_events sched,task,raw_syscalls

events=('raw_syscalls.*' 'task.*' sched.sched_{switch,waking,wakeup,wakeup_new} 'sched.sched_process_*')

# begin TRACE...: with the thread in each line. Trace some records nobody yet, trace every is
# read from now on, as its text tells when all has happened.
begin()
{
	local trace channel

	for trace; do
		new_trace "$trace"
		for channel in raw_syscalls task sched; do
			channel_buffers "$trace" $channel 1048576 16
			echo tid > "$ltt/traces/$trace/channels/$channel/contexts"
		done
		printf '%s\n' "${events[@]}" > "$ltt/traces/$trace/markers"
		if [ "$trace" = every ]; then
			reader every ALL "$tmp/every"
			every=$!
		else
			printf '%s\n' follow '!follow' > "$(tasks "$trace")"
		fi
		start_trace "$trace"
	done
}

# end TRACE...: $tmp/TRACE has its text
end()
{
	local trace

	for trace; do
		if [ "$trace" = every ]; then
			destroy_trace every
			wait "$every"
		else
			reader "$trace" ALL "$tmp/$trace"
			destroy_trace "$trace"
			wait $!
		fi
		none grep '^# lost' "$tmp/$trace"
	done
}

# tasks TRACE: its file
tasks()
{
	echo "$ltt/traces/$1/tasks"
}

# write_tasks TRACE TEXT: in one write, as bash's own commands do not
write_tasks()
{
	printf '%b' "$2" | cat > "$(tasks "$1")"
}

# followed TRACE COMMAND...: run it as one that the trace follows; $root is its process
followed()
{
	local file

	file=$(tasks "$1")
	shift
	( printf '%s\n' 'pid self' follow > "$file"; exec "$@" ) &
	root=$!
	wait $root
}

# Others that come and go meanwhile, and leave some of the time to those that are followed.
others()
{
	repeat other
}

other()
{
	sh -c 'true; true & wait'
	nap 0.02
}

# all_freed: none of those that $root has started will have another event
all_freed()
{
	grep -q "sys_enter: id 59 .* tid $root$" "$tmp/every" &&
		[ -z "$(awk -v root="$root" -v what=free -f "$here/compare/tasks.awk" "$tmp/every")" ]
}

# From the first execve() on, and without times.
begun()
{
	awk -v root="$root" '/^#/ { next }
		$NF == root && $3 == "raw_syscalls.sys_enter:" && $5 == 59 { begun = 1 }
		begun { $1 = ""; print }' "$tmp/some"
}

forks=$(amount 30 500)

# compare_with_every CHILDREN: the same events. Not in the same order: an interrupt may come
# when an event is in one of the traces.
compare_with_every()
{
	wait_for 60 all_freed || fail "some have not been freed"
	end some every
	host awk -v root="$root" -f "$here/compare/tasks.awk" "$tmp/every" | sort > "$tmp/want"
	begun | sort > "$tmp/found"
	wc -l "$tmp/every" "$tmp/want" "$tmp/found"
	[ "$(wc -l < "$tmp/want")" -lt $(($(wc -l < "$tmp/every") * 9 / 10)) ] ||
		fail "there were hardly any others"
	diff "$tmp/want" "$tmp/found" > "$tmp/diff" || fail "$(head -n 20 "$tmp/diff")"
	children=$(grep -c ' task.task_newtask:' "$tmp/found")
	echo "$children children"
	[ "$children" -ge "$1" ]
}

one_by_one()
{
	begin every some
	others
	# shellcheck disable=SC2016
	followed some bash -c 'for ((i = 0; i < $1; i++)); do ( : ); done' bash "$forks"
	repeat_end
	compare_with_every "$forks"
}

at_once()
{
	begin every some
	others
	mkfifo "$tmp/gate"
	# All of them are there before one of them ends.
	# shellcheck disable=SC2016
	followed some bash -c 'exec 3<> "$1"
		for ((i = 0; i < $2; i++)); do read -r -n 1 <&3 & done
		printf "%${2}s" >&3
		wait' bash "$tmp/gate" "$forks"
	rm "$tmp/gate"
	repeat_end
	compare_with_every "$forks"
}

# Children of children, programs, threads.
of_all_kinds()
{
	begin every some
	others
	followed some sh -c 'sh -c "true & true; (true; true)" | cat
		python3 -c "
import threading, os, subprocess
def run(): subprocess.run([\"true\"]); os.getppid()
threads = [threading.Thread(target=run) for i in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]"'
	repeat_end
	compare_with_every 20
}

ftrace_agrees()
{
	local option=

	begin every some
	others
	trace-cmd start -C mono -b 65536 -e sched:sched_switch -e raw_syscalls:sys_enter > /dev/null
	echo 1 > $tracefs/options/event-fork
	# shellcheck disable=SC2016
	followed some bash -c 'echo $$ > "$1/set_event_pid"
		python3 -c "import time; print(time.monotonic_ns())" > "$2/from"
		for ((i = 0; i < 60; i++)); do ( : ) & done
		wait' bash $tracefs "$tmp"
	wait_for 60 all_freed
	repeat_end
	trace-cmd stop
	trace-cmd extract -o "$tmp/trace.dat" > /dev/null 2>&1
	trace-cmd reset > /dev/null
	echo > $tracefs/set_event_pid
	echo 0 > $tracefs/options/event-fork
	trace-cmd report -R -t "$tmp/trace.dat" > "$tmp/ftrace.txt" 2> /dev/null
	end some every
	# Without the context; of those events that ftrace had.
	grep -E ' (sched.sched_switch|raw_syscalls.sys_enter): ' "$tmp/some" | sed 's/ tid [0-9]*$//' \
		> "$tmp/ltt.txt"
	wc -l "$tmp/ltt.txt" "$tmp/ftrace.txt"
	[ "$(wc -l < "$tmp/ltt.txt")" -gt 1000 ]
	! kernel_since 6.13 || option=faultable
	# shellcheck disable=SC2086 # none, or one
	host python3 "$here/compare/ftrace.py" "$tmp/ftrace.txt" "$tmp/ltt.txt" "$(< "$tmp/from")" $option
}

# tids TRACE: of which threads it has system calls
tids()
{
	awk '$3 == "raw_syscalls.sys_enter:" { print $NF }' "$tmp/$1" | sort -nu | xargs
}

# To the end, and none of those that have its number later.
last_event_and_reuse()
{
	local file=$ltt/traces/some/tasks

	begin some
	( echo 'pid self' > "$file"; exec true ) &
	root=$!
	wait $root
	expect "the file" "# pid $root has ended,# tasks 0" "$(paste -sd, "$file")"
	# A fork() that asks for the number, see clone3(2).
	python3 -c "
import ctypes, os
number = ctypes.c_int($root)
args = (ctypes.c_uint64 * 10)(0, 0, 0, 0, 17, 0, 0, 0, ctypes.addressof(number), 1)
child = ctypes.CDLL(None).syscall(435, args, ctypes.sizeof(args))
if not child:
    os.getppid()
    os._exit(0 if os.getpid() == $root else 1)
assert os.waitpid(child, 0) == ($root, 0)"
	expect "the file" "# pid $root has ended,# tasks 0" "$(paste -sd, "$file")"
	end some
	# 16 and 32: EXIT_DEAD, EXIT_ZOMBIE; 64, 128: TASK_DEAD, as versions differ.
	events < "$tmp/some" | tail -n 1
	events < "$tmp/some" | tail -n 1 | grep -q " sched.sched_switch: .*prev_pid $root .*prev_state [XZ0-9x]" ||
		fail "that is not the last event of $root"
	expect "exit" 1 "$(grep -c 'sched.sched_process_exit: ' "$tmp/some")"
	expect "threads" $root "$(tids some)"
	# What created the second one is another's event.
	none grep 'task.task_newtask' "$tmp/some"
}

# python PROGRAM: with tasks(TEXT), which writes it, and hold(), which waits for a line
python()
{
	python3 -c "
import os, threading, ctypes
def tasks(text):
    with open('$(tasks some)', 'wb', 0) as file: file.write(text.encode())
def name(text):
    ctypes.CDLL(None).prctl(15, text.encode(), 0, 0, 0)
def in_thread(call):
    thread = threading.Thread(target=call); thread.start(); thread.join()
def call(number):
    ctypes.CDLL(None).syscall(111 if number == 'getpgrp' else 110)
$1"
}

# calls: of getpgrp() and getppid(), which the python programs above make
calls()
{
	echo "getpgrp $(grep -c 'sys_enter: id 111 ' "$tmp/some") getppid $(grep -c 'sys_enter: id 110 ' "$tmp/some")"
}

threads()
{
	begin some
	# A process with all its threads, one that it starts later, too.
	python "
tasks('pid self')
in_thread(lambda: call('getpgrp'))
call('getpgrp')
if not os.fork(): call('getppid'); os._exit(0)
os.wait()
# Just this one.
tasks('none\ntid self')
call('getpgrp')
in_thread(lambda: call('getppid'))
tasks('!tid self\n')
call('getppid')"
	end some
	expect "calls" "getpgrp 3 getppid 0" "$(calls)"
}

names()
{
	begin some
	python "
tasks('comm kno?n*')
call('getppid')
name('known')
call('getpgrp')
in_thread(lambda: call('getpgrp'))
name('unheard')
call('getppid')
tasks('follow')
name('known to all')
call('getpgrp')
name('unheard')
call('getpgrp')
if not os.fork(): name('x'); call('getpgrp'); os._exit(0)
os.wait()
tasks('!follow')
call('getppid')"
	cp /bin/true "$tmp/known-program"
	"$tmp/known-program"
	end some
	expect "calls" "getpgrp 5 getppid 0" "$(calls)"
	# From the moment on when it has the name, to its end.
	grep -q 'sched.sched_process_exec: filename .*/known-program ' "$tmp/some"
	grep -q 'sched.sched_process_exit: comm known-program ' "$tmp/some"
}

# What counts is the name of 15 characters that the task gets, not that of the program.
long_name()
{
	cp /bin/true "$tmp/known-program-of-many"
	begin some
	write_tasks some 'comm *many\nfollow'
	"$tmp/known-program-of-many"
	write_tasks some 'none\ncomm known-program-?'
	"$tmp/known-program-of-many"
	end some
	expect "exits" 1 "$(grep -c 'sched.sched_process_exit: ' "$tmp/some")"
	# From the first moment on.
	grep 'task.task_rename: .*known-program-o' "$tmp/some"
}

# A thread that is not the first one of its process executes a program.
exec_in_thread()
{
	begin some
	python "
def run():
    tasks('tid self\nfollow')
    os.execlp('sh', 'sh', '-c', 'echo \$PPID > /dev/null; true & wait')
in_thread(run)"
	end some
	grep -q 'sched.sched_process_exec: ' "$tmp/some"
	expect "exits" 2 "$(grep -c 'sched.sched_process_exit: ' "$tmp/some")"
}

cgroups()
{
	local root=/sys/fs/cgroup mounted=

	mountpoint -q $root || { mount -t cgroup2 none $root && mounted=1; }
	[ -e $root/cgroup.procs ] || { echo "no cgroups of version 2 in $root"; exit 4; }
	mkdir -p $root/ltt-{a/b,c}
	begin some
	echo 'cgroup /ltt-a' > "$(tasks some)"
	python "
def move(path):
    with open('$root/' + path + '/cgroup.procs', 'w') as file: file.write('0')
call('getppid')
move('ltt-a/b')
call('getpgrp')
in_thread(lambda: call('getpgrp'))
move('ltt-c')
call('getppid')
waiting, go = threading.Event(), threading.Event()
def wait(): waiting.set(); go.wait(); call('getpgrp')
thread = threading.Thread(target=wait); thread.start(); waiting.wait()
move('ltt-a')
go.set(); thread.join()
call('getpgrp')
tasks('!cgroup /ltt-a')
call('getppid')
tasks('cgroup /ltt-c')
move('.')"
	expect "errno" ENOENT "$(write-errno "$(tasks some)" 'cgroup /ltt-none')"
	# The same one, whatever the path looks like, and not what another namespace calls so.
	echo 'cgroup /ltt-c/' > "$(tasks some)"
	[ ! -e /proc/self/ns/cgroup ] || (
		echo "$BASHPID" > $root/ltt-a/cgroup.procs
		unshare --cgroup sh -c "echo 'cgroup /' > $(tasks some)
			echo '!cgroup /' > $(tasks some)
			echo 'cgroup /b' > $(tasks some)"
		echo '!cgroup /ltt-a/b' > "$(tasks some)"
		echo "$BASHPID" > $root/cgroup.procs
	)
	rmdir $root/ltt-{a/b,a,c}
	[ ! "$mounted" ] || umount $root
	expect "the file" "# cgroup /ltt-c has ended,# tasks 0" "$(paste -sd, "$(tasks some)")"
	end some
	expect "calls" "getpgrp 4 getppid 0" "$(calls)"
}

lines()
{
	local file

	new_trace some
	file=$(tasks some)
	expect "at first" none "$(< "$file")"
	write_tasks some '# nobody?\n\n'
	expect "comments" none "$(< "$file")"
	echo follow > "$file"
	expect "nobody" "follow,# tasks 0" "$(paste -sd, "$file")"
	write_tasks some '  comm   a b* \n\n# not a line\ntid 1\n pid 1\nfollow\n'
	expect "lines" "follow,comm a b*,tid 1,pid 1,# tasks 1" "$(paste -sd, "$file")"
	cat "$file" > "$tmp/saved"
	printf '%s\n' '!tid 1' '!comm a b*' > "$file"
	expect "lines" "follow,pid 1,# tasks 1" "$(paste -sd, "$file")"
	write_tasks some 'none\npid 2\n'
	expect "lines" "pid 2,# tasks 1" "$(paste -sd, "$file")"
	echo '!pid 2' > "$file"
	expect "empty" "# tasks 0" "$(paste -sd, "$file")"
	cat "$tmp/saved" > "$file"
	expect "written back" "$(< "$tmp/saved")" "$(< "$file")"
	echo '# nothing' > "$file"
	expect "lines" "$(< "$tmp/saved")" "$(< "$file")"
	write_tasks some 'none\ncomm C:\\é*\ncomm y\n'
	expect "lines" 'comm C:\é*,comm y' "$(grep -v '^#' "$file" | paste -sd,)"
	cat "$file" > "$tmp/saved"
	write_tasks some '!comm C:\\é*\n'
	cat "$tmp/saved" > "$file"
	expect "written back" 'comm y,comm C:\é*' "$(grep -v '^#' "$file" | paste -sd,)"
	write_tasks some 'pid 2\nnone\n'
	expect "none" none "$(< "$file")"
	destroy_trace some
}

# refuses ERRNO WHERE TEXT: WHERE and what is wrong are in error_log; nothing has changed
refuses()
{
	local lines

	expect_errno "$1" $ltt/traces/some/tasks "$3"
	refused_for some " tasks: $2"
	mapfile -t lines < $ltt/traces/some/tasks
	expect "lines" "pid 1 # tasks 1" "${lines[*]}"
}

bad_lines()
{
	new_trace some
	echo 'pid 1' > "$(tasks some)"
	refuses EINVAL 'line 1, column 1: expected pid, ' 'pod 1'
	refuses EINVAL 'line 1, column 1: expected pid, ' 'none of them'
	refuses EINVAL 'line 2, column 2: expected pid, ' 'follow\n pids 1'
	refuses EINVAL 'line 1, column 4: expected more than pid' 'pid'
	refuses EINVAL 'line 1, column 5: expected a number' 'pid x'
	refuses EINVAL 'line 1, column 5: expected a number' 'pid 0'
	refuses EINVAL 'line 1, column 5: expected a number' 'pid -1'
	refuses EINVAL 'line 1, column 5: expected a number' 'pid 1 2'
	refuses EINVAL 'line 1, column 5: expected a number' 'tid 99999999999'
	refuses ESRCH 'line 3, column 6: no process 4194303' 'comm x\nnone\n pid 4194303'
	refuses ESRCH 'line 1, column 5: no thread 2147483647' 'tid 2147483647'
	refuses EINVAL 'line 1, column 8: expected the end' 'follow me'
	refuses ENOENT 'line 1, column 2: there is no such line' '!pid 2'
	refuses ENOENT 'line 2, column 2: there is no such line' '!pid 1\n!pid 1'
	refuses ENOENT 'line 1, column 2: there is no such line' '!follow'
	refuses EINVAL 'line 1, column 2: expected pid, ' '!'
	refuses ENAMETOOLONG "line 1, column 6: no task's name" 'comm 0123456789abcdef'
	refuses EINVAL 'line 1, column 8: expected a path' 'cgroup a/b'
	refuses EINVAL 'column 5: NUL' 'pid \0'
	refuses EINVAL 'line 2, column 7: not a printable' 'follow\ncomm a\tb'
	refuses EINVAL 'line 1, column 6: not a printable' 'comm \xff'
	refuses E2BIG 'line 256, column 1: more than 256' "$(printf 'comm %d\\n' {1..256})"
	destroy_trace some
}

# It makes this many calls while its trace's lines change, always with its process among them.
all_its_calls()
{
	local n pid python

	n=$(amount 8000 200000)
	begin some
	mkfifo "$tmp/go"
	python "
def go():
    with open('$tmp/go') as file: return file.read()
open('$tmp/pid', 'w').write(str(os.getpid()))
go()
for i in range($n): call('getpgrp')
open('$tmp/called', 'w')
go()" &
	python=$!
	wait_for 20 test -s "$tmp/pid"
	pid=$(< "$tmp/pid")
	echo "pid $pid" > "$(tasks some)"
	repeat sh -c "
		for lines in 'none\npid $pid' 'comm x*\nfollow' '!comm x*' 'pid 1\n!follow'; do
			printf \"\$lines\\n\" > $(tasks some) || exit
		done"
	repeat sh -c "
		echo x > $ltt/setup_trace
		echo '*' > $ltt/traces/x/markers
		printf '%s\n' 'comm *' follow > $ltt/traces/x/tasks
		echo 1 > $ltt/traces/x/enabled
		echo none > $ltt/traces/x/tasks
		echo 'pid $pid' > $ltt/traces/x/tasks
		echo x > $ltt/destroy_trace"
	repeat sh -c "modprobe ltt-test-late; rmmod ltt-test-late"
	: > "$tmp/go"
	wait_for 300 test -e "$tmp/called"
	repeat_end
	: > "$tmp/go"
	wait $python
	end some
	expect "calls" "getpgrp $n getppid 0" "$(calls)"
}

# A process has children while a write is carried out that names it, and looks at it before many
# others, which takes time, as there are many lines. The last child of each round is judged: in
# many rounds, as they begin at different times within the write, it is created after that.
created_meanwhile()
{
	local rounds kept

	rounds=$(amount 15 40)
	begin some
	python "
import mmap, subprocess, time
state = mmap.mmap(-1, 1)
BEFORE, MEANWHILE, DONE = b'\0', b'\1', b'\2'
crowd = subprocess.Popen(['crowd', '2000'], stdout=subprocess.PIPE)
assert crowd.stdout.readline()

def write_lines():
    os.nice(19)
    lines = b'none\npid %d\nfollow\n' % os.getppid()
    lines += b''.join(b'comm *%d?*\n' % i for i in range(250))
    file = os.open('$(tasks some)', os.O_WRONLY)
    state[:] = MEANWHILE
    os.write(file, lines)
    state[:] = DONE
    os._exit(0)

def child(gate):
    os.close(gate[1])
    os.read(gate[0], 1)
    call('getppid')
    os._exit(0)

# The last child, or None if the write was over before it was there; and how long the write took.
def round(pause):
    state[:] = BEFORE
    gate = os.pipe()
    os.fork() or write_lines()
    while state[:] == BEFORE: time.sleep(0.0005)
    began = time.monotonic()
    time.sleep(pause)
    for i in range(3): last = os.fork() or child(gate)
    meanwhile = state[:] == MEANWHILE
    while state[:] != DONE: time.sleep(0.0005)
    took = time.monotonic() - began
    for end in gate: os.close(end)
    for i in range(4): os.wait()
    return last if meanwhile else None, took

children = []
_, took = round(0)
for tries in range(1, 1001):
    last, now = round(took * (tries % 8) / 16)
    took = min(took, now)
    children += filter(None, [last])
    if len(children) == $rounds: break
print(tries, 'tries')
assert len(children) == $rounds
open('$tmp/children', 'w').writelines('%d\n' % child for child in children)
crowd.kill()
crowd.wait()"
	end some
	kept=$(awk '
		NR == FNR { is_child[$1] = 1; next }
		/sys_enter: id 110 / && $NF in is_child { kept++ }
		END { print kept + 0 }' "$tmp/children" "$tmp/some")
	echo "$kept of $rounds are followed"
	[ $((kept * 3)) -ge $rounds ] || fail "children are lost"
}

# Modules go while tasks are followed, and come back.
unloaded()
{
	for _ in 1 2 3; do
		begin some
		echo follow > "$(tasks some)"
		( echo 'pid self' > "$(tasks some)"; exec sh -c 'while true & do wait; done' ) &
		wait_for 10 grep -q '^pid' "$(tasks some)"
		rmmod ltt-tracepoints ltt-textout ltt-core
		kill $!
		wait $! || true
		modprobe -a ltt-core ltt-textout
		kernel_events sched,task,raw_syscalls
	done
}

# What modules record in private channels is theirs.
private_channel()
{
	local n

	modprobe ltt-sample-reader
	echo 'comm nobody' > "$(tasks sample_private)"
	n=$(< /sys/module/ltt_sample_reader/parameters/events)
	wait_for 10 sh -c "[ \$(cat /sys/module/ltt_sample_reader/parameters/events) -gt $((n + 50)) ]"
	expect "lost" 0 "$(< /sys/module/ltt_sample_reader/parameters/lost)"
	rmmod ltt-sample-reader
}

# Nor is what a dump says, that of a trace which records nobody.
state_dump()
{
	modprobe ltt-statedump
	new_trace some 'statedump.*'
	echo follow > "$(tasks some)"
	start_trace some
	wait_for 60 grep -q '^state complete' $ltt/traces/some/statedump || cat $ltt/traces/some/statedump
	expect "lost" "lost 0" "$(grep ^lost $ltt/traces/some/statedump)"
	end some
	grep -q " statedump.process_state: .* comm $(< /proc/1/comm) " "$tmp/some"
	rmmod ltt-statedump
}

# Only the command's: in the capture, and in the text. They tell who it was.
of_command()
{
	local status=0 work='echo $$ > "$1"; for i in 1 2 3 4 5; do (true); sh -c "true | true"; done; exit 7'

	others
	ltt record --follow -o "$tmp/capture" -e 'raw_syscalls.* task.* sched.*' --context tid -- \
		sh -c "$work" sh "$tmp/root" 2> "$tmp/err" || status=$?
	expect "status" 7 $status
	grep -q ' 0 lost$' "$tmp/err"
	check_trace "$tmp/capture"
	only_followed "$tmp/capture.text"
	status=0
	ltt text --follow -e 'raw_syscalls.* task.* sched.*' --context tid -- \
		sh -c "$work" sh "$tmp/root" > "$tmp/text" || status=$?
	expect "status" 7 $status
	only_followed "$tmp/text"
	repeat_end
	nothing_left
}

# Whoever has a system call is the one in $tmp/root, or was created by one of them.
only_followed()
{
	awk -v root="$(< "$tmp/root")" '
		BEGIN { mine[root] = 1 }
		/^#/ { next }
		$3 == "task.task_newtask:" && $NF in mine { mine[$5] = 1; children++ }
		$3 ~ /^raw_syscalls/ && !($NF in mine) { print; bad = 1 }
		$3 == "raw_syscalls.sys_enter:" && $5 == 231 { exits++ }
		END {
			print children " children, " exits " exits"
			exit bad || children < 20 || exits != children + 1
		}' "$1" || fail "others, or not all"
}

command_line()
{
	local status

	new_trace other 'sched.*'
	for args in "-e sched.sched_switch" "-t other -- true"; do
		status=0
		# shellcheck disable=SC2086
		ltt record --follow -o "$tmp/none" $args 2> "$tmp/err" || status=$?
		cat "$tmp/err"
		expect "status of $args" 2 $status
		[ ! -e "$tmp/none" ]
	done
	status=0
	ltt text --follow other 2> "$tmp/err" || status=$?
	expect "status" 2 $status
	status=0
	ltt text --follow -e 'sched.*' -- ./no-such-command > "$tmp/out" 2> "$tmp/err" || status=$?
	expect "status" 127 $status
	grep -q no-such-command "$tmp/err"
	expect "other" none "$(< $ltt/traces/other/tasks)"
	destroy_trace other
	nothing_left
}

# In a PID namespace the command's number is another one.
in_a_namespace()
{
	unshare --pid --fork true || { echo "no PID namespaces"; exit 4; }
	unshare --pid --fork ltt text --follow -e 'raw_syscalls.*' -- sh -c 'true; true' > "$tmp/text"
	[ "$(grep -c 'sys_enter: id 231 ' "$tmp/text")" -ge 1 ] || fail "$(head "$tmp/text")"
}

run_test "many children, one after the other" one_by_one
run_test "many children at once" at_once
run_test "children of children, programs, threads" of_all_kinds
run_test --needs smp "many children at once, on several CPUs" at_once
run_test "ftrace's set_event_pid agrees" ftrace_agrees
run_test "to the last event, and not whoever gets the number" last_event_and_reuse
run_test "processes and threads" threads
run_test "names" names
run_test "a program's name is longer than a task's" long_name
run_test "a thread executes a program" exec_in_thread
run_test "cgroups" cgroups
run_test "lines are added, removed, shown" lines
run_test "bad lines change nothing" bad_lines
run_test "lines change at full speed, no event is missing" all_its_calls
run_test "children are created while lines change" created_meanwhile
run_test "modules go while tasks are followed" unloaded
run_test "private channels are left alone" private_channel
run_test "the state dump is complete" state_dump
run_test "ltt record and ltt text: only the command" of_command
run_test "ltt: who cannot be followed" command_line
run_test "ltt: in a PID namespace" in_a_namespace
finish
