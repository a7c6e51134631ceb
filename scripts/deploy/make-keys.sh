#!/bin/sh
# Makes what a deployment needs before its first start, and leaves alone what is there already:
#
#   DIRECTORY/hub.pub             the hub's public key, by which workers know it
#   DIRECTORY/NAME.key            the key of each worker; the hub's allow-list has its public half
#   DIRECTORY/postgres.password   of the database, and DIRECTORY/pgpass, the same for the workers
#
# With Docker Compose, in the directory of docker-compose.yml:
#
#   docker compose --profile setup run --rm keys
#
# Without, as the hub's user, or as root for user CALLBOARD_UID (1000):
#
#   CALLBOARD_DATA=/var/lib/callboard scripts/deploy/make-keys.sh DIRECTORY [NAME…]
#
# NAME: one of the workers that come with Callboard (default: all five). The hub's own key and its allow-list are in
# CALLBOARD_DATA. A key for another machine is made there: docs/deployment.md.
set -eu
umask 077

case "${1:-}" in
  '' | -*)
    echo "usage: CALLBOARD_DATA=<the hub's data directory> $0 DIRECTORY [NAME…]" >&2
    exit 2
    ;;
esac
directory=$1

if [ "$(id -u)" -eq 0 ]; then
  user=${CALLBOARD_UID:-1000}
  if [ "$user" = 0 ]; then
    echo "CALLBOARD_UID is 0: name the user that the hub runs as, and not root" >&2
    exit 2
  fi
  mkdir -p "$directory"
  chown "$user:$user" "$directory"
  exec setpriv --reuid="$user" --regid="$user" --clear-groups -- "$0" "$@"
fi

shift
[ $# -gt 0 ] || set -- kernel scheduler social forum qda
: "${CALLBOARD_DATA:?the data directory of the hub}"
mkdir -p "$directory"
chmod 0700 "$directory"

callboard keys hub > "$directory/hub.pub.new"
chmod 0644 "$directory/hub.pub.new"
mv "$directory/hub.pub.new" "$directory/hub.pub"

for name; do
  if [ -e "$directory/$name.key" ]; then
    echo "$name: has a key" >&2
    continue
  fi
  # What it says to do next is done here; what went wrong is said.
  said=$(callboard keys new "$name" --out "$directory/$name.key" 2>&1) || {
    echo "$said" >&2
    exit 1
  }
  # The names of these workers are reserved: only who is trusted may hold them.
  callboard keys authorize "$name" --file "$directory/$name.key" --trusted
done

if [ ! -e "$directory/pgpass" ]; then
  # 32 bytes in hexadecimal: no character that any of the two files would read as something else.
  password=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s\n' "$password" > "$directory/postgres.password"
  # The database's own user reads it; DIRECTORY keeps everybody else out.
  chmod 0644 "$directory/postgres.password"
  printf 'postgres:5432:callboard:callboard:%s\n' "$password" > "$directory/pgpass"
fi
echo "$directory is complete" >&2
