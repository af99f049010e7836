#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 DEBUG=1
#
# Markers on tracepoints through BTF: the kernel's structures hold what ftrace shows of
# the same events; what nobody else knows becomes a marker by itself; modules come and go;
# nonsense is refused, with a place; no memory is kept.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib/dynamic.sh"
# shellcheck source=lib/disk.sh
. "$here/lib/disk.sh"

[ -e /sys/kernel/btf/vmlinux ] || { echo "1..0 # SKIP no BTF"; exit 4; }
modprobe ltt-btf || exit 1
trap 'umount_disk; cleanup' EXIT

fork="t:btf/sched_process_fork sched_process_fork comm=parent->comm pid=parent->pid
	child_comm=child->comm:string child_pid=child->pid:s32"
exec="t:btf/sched_process_exec sched_process_exec filename=bprm->filename:string p->pid old_pid"
exit="t:btf/sched_process_exit sched_process_exit p->comm p->pid p->prio"
unlink="t:btf/ext4_unlink_enter ext4_unlink_enter ino=dentry->d_inode->i_ino
	size=dentry->d_inode->i_size parent=parent->i_ino"
sync="t:btf/ext4_sync_file_enter ext4_sync_file_enter ino=file->f_path.dentry->d_inode->i_ino
	parent=file->f_path.dentry->d_parent->d_inode->i_ino datasync"
begin="t:btf/ext4_da_write_begin ext4_da_write_begin ino=inode->i_ino pos len"
allocate="t:btf/ext4_allocate_inode ext4_allocate_inode dev=inode->i_sb->s_dev
	ino=inode->i_ino dir=dir->i_ino mode"

# define DEFINITION...: all of them in one write
define()
{
	printf '%s\n' "${@//$'\n'/ }" > "$tmp/request"
	expect "definitions" OK "$(write-errno -f $file "$tmp/request")"
}

# What a test that failed has left.
forget_all()
{
	forget_definitions
	umount_disk
}

workload()
{
	local i

	cp /bin/bash "$tmp/btfwork"
	for i in 1 2 3 4 5 6; do
		"$tmp/btfwork" -c 'cat /etc/passwd > $1; sync $1; sync -d $1; rm $1; :' sh \
			"$tmp/mnt/file$i" &
	done
	wait
}

no_readers()
{
	[ -z "$(jobs -rp)" ]
}

# ltt_on TRACE PATTERN...
ltt_on()
{
	local trace=$1 channel

	shift
	new_trace "$trace"
	for channel in btf ext4; do
		[ ! -d "$ltt/traces/$trace/channels/$channel" ] ||
			channel_buffers "$trace" $channel 1048576 8
	done
	printf '%s\n' "$@" > "$ltt/traces/$trace/markers"
	start_trace "$trace"
}

# Read TRACE to its end, as text into $tmp/ltt.txt and in binary into $tmp/ctf.
read_both()
{
	local fd

	rm -rf "$tmp/ctf"
	exec {fd}< "$ltt/traces/$1/text/ALL"
	ltt record -t "$1" -o "$tmp/ctf" 2> "$tmp/record.err" {fd}<&- &
	wait_for 20 test -s "$tmp/ctf/metadata"
	cat <&"$fd" > "$tmp/ltt.txt" &
	exec {fd}<&-
	destroy_trace "$1"
	wait_for 60 no_readers || fail "readers: $(cat "$tmp/record.err")"
	none grep '^# lost' "$tmp/ltt.txt"
}

# Nobody looks at what is recorded while it is recorded. Both begin and end when
# nothing happens that is looked at.
same_as_ftrace()
{
	local i

	forget_all
	mount_disk
	define "$fork" "$exec" "$exit" "$unlink" "$sync" "$begin" "$allocate"
	echo mono > $tracefs/trace_clock
	echo 16384 > $tracefs/buffer_size_kb
	echo > $tracefs/trace
	sync
	ltt_on both 'btf.*' 'ext4.*'
	echo 1 > $tracefs/events/ext4/enable
	for i in fork exec exit; do
		echo 1 > $tracefs/events/sched/sched_process_$i/enable
	done
	workload
	umount "$tmp/mnt"
	wait_for 10 no_loop
	echo 0 > $tracefs/events/enable
	stop_trace both
	cat $tracefs/trace > "$tmp/ftrace.txt"
	echo > $tracefs/trace
	cat $file
	read_both both
	same values ltt.txt btfwork
}

# same values|counts FILE OF: FILE shows the events that ftrace shows.
same()
{
	# shellcheck disable=SC2046 # none, or one
	host "$here/compare/btf.py" "$1" "$tmp/ftrace.txt" "$tmp/$2" "$3" $(preemptible)
}

no_loop()
{
	[ -z "$(losetup -a)" ]
}

# What the first case has left; one that runs alone makes it.
recorded()
{
	[ -e "$tmp/ctf" ] || same_as_ftrace > /dev/null
}

every_event()
{
	recorded
	same counts ltt.txt ext4
}

no_false_equality()
{
	recorded
	same values ltt.txt btfwork > /dev/null
	sed 's/\(ext4_da_write_begin.* len \)\([0-9]*\)/\11\2/' "$tmp/ltt.txt" > "$tmp/other"
	none same values other btfwork > /dev/null 2>&1
	sed '0,/ ext4.ext4_free_inode:/{/ ext4.ext4_free_inode:/d}' "$tmp/ltt.txt" > "$tmp/other"
	none same counts other ext4 > /dev/null 2>&1
}

in_binary()
{
	recorded
	same_capture babeltrace2 "$tmp/ctf" "$tmp/ltt.txt"
}

# Every trace event has a marker, from whichever module, and no marker exists twice.
all_events()
{
	local missing

	forget_all
	mount_disk
	umount "$tmp/mnt"
	modprobe ltt-tracepoints 2> /dev/null || echo "without the bridge"
	tail -n +2 $ltt/markers | awk -F'\t' '$3 == "on" || $3 == "off" { print $1 }' |
		sort > "$tmp/markers"
	expect "markers that are there twice" "" "$(uniq -d "$tmp/markers")"
	grep -vE '^(syscalls|ftrace|kprobes|synthetic):' $tracefs/available_events |
		tr :- ._ | sort > "$tmp/events"
	missing=$(comm -13 "$tmp/markers" "$tmp/events")
	echo "$(wc -l < "$tmp/events") events; without a marker:" $missing
	expect "without a marker" "" "$missing"
	[ "$(grep -c '^ext4\.' "$tmp/markers")" -ge 100 ]
	[ ! -e /sys/module/ltt_tracepoints ] || rmmod ltt-tracepoints
}

# How many markers are ours now.
markers()
{
	awk -F'\t' '$2 == "ltt_btf" && ($3 == "on" || $3 == "off")' $ltt/markers | wc -l
}

# owner MARKER: whose it is while a trace records it
owner()
{
	awk -F'\t' -v name="$1" '$1 == name && $3 == "on" { print $2 }' $ltt/markers
}

# The bridge knows more; what it has is not ours while it is there.
beside_the_bridge()
{
	local before

	forget_all
	modprobe -n ltt-tracepoints 2> /dev/null || { echo "no ltt-tracepoints"; exit 4; }
	[ ! -e /sys/module/ltt_tracepoints ] || rmmod ltt-tracepoints
	before=$(markers)
	new_trace bridge 'signal.*'
	start_trace bridge
	expect "marker" ltt_btf "$(owner signal.signal_generate)"
	modprobe ltt-tracepoints
	echo "$before markers, $(markers) beside the bridge"
	[ "$(markers)" -lt $((before - 300)) ]
	expect "marker" ltt_tracepoints "$(owner signal.signal_generate)"
	rmmod ltt-tracepoints
	expect "markers again" "$before" "$(markers)"
	expect "marker" ltt_btf "$(owner signal.signal_generate)"
	destroy_trace bridge
}

as_bpftool_says()
{
	local module

	modprobe ext4
	mkdir "$tmp/btf"
	cp /sys/kernel/btf/{vmlinux,ext4} "$tmp/btf"
	cat $ltt/markers > "$tmp/markers"
	for module in vmlinux ext4; do
		host "$here/compare/btf.py" arguments "$tmp/markers" $module "$tmp/btf"
	done
}

errors()
{
	forget_all
	modprobe ext4
	define "t:btf/there sched_switch"
	refused EINVAL 2 'tt:btf/x sched_switch' 'expected a colon or a blank'
	refused ENOENT 9 't:btf/x no_such_tracepoint' 'no such tracepoint'
	refused EINVAL 9 't:btf/x 0xffffffff81000000' 'expected a tracepoint'
	refused EINVAL 21 't:btf/x sched_switch+4' 'expected a blank'
	refused ENOENT 22 't:btf/x sched_switch preev' 'the tracepoint has no such argument'
	refused ENOENT 28 't:btf/x sched_switch prev->piddle' 'no such member'
	refused EINVAL 26 't:btf/x sched_switch prev.pid' 'this is a pointer: use ->'
	refused EINVAL 29 't:btf/x sched_switch preempt->pid' 'not a pointer'
	refused EINVAL 22 't:btf/x sched_switch prev->se' 'a structure or union: choose a member'
	refused EINVAL 43 't:btf/x sched_switch a=prev->mm->pgd->pgd:string' \
		'not a pointer to characters or an array of them'
	refused EINVAL 32 't:btf/x sched_switch prev->pid:u64' 'the value has 32 bits'
	refused ERANGE 33 't:btf/x sched_switch prev->comm[16]' 'the array has only 16 elements'
	refused EINVAL 22 't:btf/x sched_switch %di' 'expected an argument of the tracepoint'
	refused EEXIST 32 't:btf/x sched_switch prev->pid next->pid' \
		'duplicate field pid'
	refused EEXIST 1 't:btf/there sched_wakeup' 'marker btf/there already exists'
	refused ENOENT 9 't:btf/y sched_switch\nt:btf/x\tno_such' 'no such tracepoint'
	# Some pass structures.
	[ ! -e $tracefs/events/xen/xen_mmu_set_pte ] ||
		refused EINVAL 31 't:btf/x xen_mmu_set_pte pteval.pte' \
			'passed by value: members cannot be accessed'
	define "-:btf/there"
	rmmod ltt-btf
	refused EOPNOTSUPP 1 't:btf/x sched_switch' \
		'tracepoints need the module ltt-btf, which is not loaded'
	modprobe ltt-btf
}

# unload_ext4: also what mounts of it may have left for a while
unload_ext4()
{
	wait_for 20 rmmod ext4
}

modules()
{
	local i

	forget_all
	[ ! -e /sys/module/ext4 ] || unload_ext4
	ltt_on mod 'ext4.ext4_sync_file_*' 'btf.*'
	none grep '^ext4\..*	o[nf]*	' $ltt/markers
	refused ENOENT 9 't:btf/x ext4_unlink_enter' 'no such tracepoint'
	modprobe ext4
	define "$unlink"
	for i in 1 2 3; do
		mount_disk
		expect "it is there" 1 "$(grep -c 'ext4_unlink_enter .* # on hits' $file)"
		grep -q '^ext4.ext4_sync_file_enter	ltt_btf	on	file %p datasync %lld$' $ltt/markers
		workload
		umount "$tmp/mnt"
		unload_ext4
		none grep '^ext4\..*	o[nf]*	' $ltt/markers
		expect "it waits" 1 "$(grep -c 'ext4_unlink_enter .* # waiting' $file)"
	done
	destroy_trace_into mod "$tmp/mod"
	expect "syncs" 36 \
		"$(grep -c ' ext4.ext4_sync_file_enter: file .* datasync [01]$' "$tmp/mod")"
	expect "unlinks" 18 \
		"$(grep -cE ' btf.ext4_unlink_enter: ino 1[0-9] size [1-9][0-9]* parent 2$' "$tmp/mod")"
}

# destroy_trace_into TRACE FILE
destroy_trace_into()
{
	reader "$1" ALL "$2"
	destroy_trace "$1"
	wait $!
}

# Bit-fields, pointers to pointers, members without a name, elements, symbols; against
# what the process knows of itself.
accesses()
{
	local pid line ns

	forget_all
	define "t:btf/all sched_process_exec p->pid p->tgid parent=p->real_parent->pid
		group=p->group_leader->comm uts=p->nsproxy->uts_ns->ns.inum
		exe=p->mm->exe_file->f_path.dentry->d_name.name:string
		host=p->nsproxy->uts_ns->name.nodename leader=p->signal->pids[1]->numbers[0].nr
		nivcsw=p->nivcsw:x64 first=p->comm[0] in_execve=p->in_execve iowait=p->in_iowait
		class=p->sched_class:symbol file=bprm->filename:string"
	cp /bin/cat "$tmp/btfwork"
	ltt_on all 'btf.*'
	"$tmp/btfwork" /dev/null &
	pid=$!
	wait $pid
	ns=$(readlink /proc/self/ns/uts)
	destroy_trace_into all "$tmp/all"
	line=$(grep " btf.all: pid $pid " "$tmp/all")
	echo "$line"
	[[ $line = *" pid $pid tgid $pid parent $BASHPID group btfwork uts ${ns//[^0-9]/} "* ]]
	[[ $line = *" exe btfwork host $(hostname) leader $pid nivcsw 0x"* ]]
	[[ $line = *" first 98 in_execve 1 iowait 0 class fair_sched_class"* ]]
	[[ $line = *" file $tmp/btfwork" ]]
}

nonsense()
{
	forget_all
	nonsense-kprobes.py $file tracepoints
}

# The definition stays while what it names is torn down; the address of nothing is 0.
nothing_there()
{
	local nothing='owner (fault) users 0 name (fault) saved 0 what (fault)'

	forget_all
	define "t:btf/kthread sched_switch next->comm mm=next->mm
		owner=next->mm->owner->comm users=next->mm->mm_users.counter
		name=next->mm->exe_file->f_path.dentry->d_name.name:string
		saved=next->mm->saved_auxv[0] what=next->mm->binfmt->module->name"
	ltt_on kt 'btf.*'
	sleep 0.1
	destroy_trace_into kt "$tmp/kt"
	grep -m 3 'btf.kthread: comm swapper' "$tmp/kt"
	[ "$(grep -c "comm swapper/[0-9] mm 0* $nothing\$" "$tmp/kt")" -ge 1 ]
}

# What is read makes the event happen again.
recursion()
{
	local hits missed

	forget_all
	[ -e $tracefs/events/exceptions/page_fault_kernel ] || { echo "no such event"; exit 4; }
	define 't:btf/fault page_fault_kernel far=regs[9000000].ip address:x64'
	ltt_on rec 'btf.*'
	python3 -c 'import mmap; open("/dev/zero", "rb").readinto(mmap.mmap(-1, 1 << 20))'
	stop_trace rec
	grep fault $file
	read -r hits missed < <(sed -n 's/.*# .* hits \([0-9]*\) missed \([0-9]*\)$/\1 \2/p' $file)
	destroy_trace_into rec "$tmp/rec"
	# Each fault, the one of its own reading, and that one's, which is missed.
	[ "$missed" -ge 100 ]
	[ "$hits" -ge $((2 * missed)) ]
	[ "$(grep -c ' btf.fault: far 0 address 0x' "$tmp/rec")" -ge 200 ]
}

unloaded()
{
	forget_all
	mount_disk
	define "$exit"
	ltt_on un 'btf.*' 'ext4.*'
	sync "$tmp/mnt"
	rmmod ltt-btf
	none grep 'ltt_btf	o' $ltt/markers
	none grep '^t' $file
	sync "$tmp/mnt"
	modprobe ltt-btf
	define "$exit"
	sync "$tmp/mnt"
	umount "$tmp/mnt"
	destroy_trace_into un "$tmp/un"
	[ "$(grep -c ' btf.sched_process_exit: ' "$tmp/un")" -ge 2 ]
	[ "$(grep -c ' ext4.ext4_sync_file_enter: ' "$tmp/un")" -ge 2 ]
}

# used: KiB that the kernel has taken for itself
used()
{
	awk '/^(Slab|VmallocUsed|Percpu|KernelStack):/ { sum += $2 } END { print sum }' /proc/meminfo
}

memory()
{
	local i before after

	forget_all
	modprobe ext4
	for i in $(seq $(amount 15 60)); do
		define "$fork" "$exec" "$unlink"
		define "-:btf/sched_process_fork" "-:btf/sched_process_exec" "-:btf/ext4_unlink_enter"
		[ "$i" != 8 ] || before=$(used)
		expect_errno ENOENT $file 't:btf/x ext4_unlink_enter dentry->nothing'
	done
	for i in $(seq $(amount 1 5)); do
		unload_ext4
		modprobe ext4
		rmmod ltt-btf
		modprobe ltt-btf
	done
	# What is freed after grace periods.
	sleep 1
	after=$(used)
	echo "$before KiB before, $after KiB after"
	[ $((after - before)) -lt "$(amount 700 2048)" ]
	none grep kernel_read_file /proc/vmallocinfo
}

run_test "values as in ftrace's events" same_as_ftrace
run_test "every event of ext4, as often as in ftrace" every_event
run_test "the comparison finds differences" no_false_equality
run_test "a capture of them is read by babeltrace2" in_binary
run_test "every trace event has a marker" all_events
run_test "the bridge's events are the bridge's" beside_the_bridge
run_test --long "arguments as bpftool shows them" as_bpftool_says
run_test "what is wrong is refused, with its column" errors
run_test "a module that comes and goes" modules
run_test "what structures lead to" accesses
run_test "pointers to nothing" nothing_there
run_test "reading that makes the event happen" recursion
run_test "nonsense by grammar" nonsense
run_test "the module goes and comes back" unloaded
run_test --long "no memory is kept" memory
finish
