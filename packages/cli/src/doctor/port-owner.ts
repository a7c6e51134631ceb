import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Which process listens at a TCP port, as far as this user may see it; Linux only. */
export function portOwner(port: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeners(table, port)))
  if (sockets.size === 0) return undefined
  const pid = readdirSync('/proc').find((entry) => /^\d+$/.test(entry) && holds(entry, sockets))
  return pid === undefined ? 'a process of another user' : `process ${pid} (${commandOf(pid)})`
}

const listenState = '0A'

/** The inodes of listening sockets, as links in /proc/PID/fd name them. */
function listeners(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return readOr(table, '')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/ +/))
    .filter((fields) => fields[3] === listenState && fields[1]?.endsWith(`:${wanted}`))
    .map((fields) => `socket:[${fields[9]}]`)
}

function holds(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    const directory = `/proc/${pid}/fd`
    return readdirSync(directory).some((descriptor) => sockets.has(linkOr(`${directory}/${descriptor}`)))
  } catch {
    return false
  }
}

function commandOf(pid: string): string {
  return readOr(`/proc/${pid}/cmdline`, 'unknown').replaceAll('\0', ' ').trim().slice(0, 80)
}

function readOr(path: string, fallback: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return fallback
  }
}

function linkOr(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
