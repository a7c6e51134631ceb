/**
 * What the guardian runs: POSIX shell, because it costs a megabyte where a second Node would cost forty. Its stdin has lines
 * `PID:START PID:START …`, of which the last one counts; `$1` is how many times a tenth of a second it waits after the end of stdin.
 *
 * A number that was given to another process since is left alone. What is left of a worker is killed with its group, and with
 * all that descends from it: the programs of a worker are in groups of their own, and it can no longer end them.
 */
export const guardianScript = `# Callboard's guardian: when the supervisor is gone, it ends what is left of its workers.
trap '' HUP INT QUIT TERM

workers=
while read -r line; do workers=$line; done

is_left() {
  kill -s 0 -- "-$1" 2>/dev/null || return 1
  read -r stat 2>/dev/null </proc/"$1"/stat || return 0
  started=$2
  set -- \${stat##*) }
  [ -z "$started" ] || [ "\${20:-}" = "$started" ]
}

any_left() {
  for worker in $workers; do
    is_left "\${worker%:*}" "\${worker#*:}" && return 0
  done
  return 1
}

processes() {
  for file in /proc/[0-9]*/stat; do
    read -r stat 2>/dev/null <"$file" || continue
    pid=\${stat%% *}
    set -- \${stat##*) }
    printf '%s:%s ' "$pid" "\${2:-}"
  done
}

tree_of() {
  tree=" $1 "
  all=$(processes)
  grows=yes
  while [ -n "$grows" ]; do
    grows=
    for process in $all; do
      case $tree in *" \${process%:*} "*) continue ;; esac
      case $tree in *" \${process#*:} "*) tree="$tree\${process%:*} " grows=yes ;; esac
    done
  done
}

steps=$1
while [ "$steps" -gt 0 ] && any_left; do
  sleep 0.1 || sleep 1 || :
  steps=$((steps - 1))
done
for worker in $workers; do
  is_left "\${worker%:*}" "\${worker#*:}" || continue
  tree_of "\${worker%:*}"
  for pid in $tree; do
    kill -s KILL -- "-$pid"
    kill -s KILL "$pid"
  done 2>/dev/null
done
`
