import { readFileSync } from 'node:fs'
import { openFilesMin } from '../limits.js'
import { type Finding, note } from './finding.js'

/** Whether a hub that strangers can connect to has room for them. `pid`: the hub's; absent: it would have what we have. */
export function checkOpenFiles(pid: number | undefined): Finding[] {
  const most = openFilesOf(pid ?? process.pid)
  if (most === undefined || most >= openFilesMin) return []
  return [
    note(
      'open files',
      `the hub listens for workers on other machines, and may have ${most} files and connections open: strangers can use them up`,
      `give it ${openFilesMin} or more: "ulimit -n", LimitNOFILE= of systemd, ulimits of Compose`,
    ),
  ]
}

/** Undefined where the system does not tell. */
function openFilesOf(pid: number): number | undefined {
  try {
    const most = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]
    return most === undefined ? undefined : Number(most)
  } catch {
    return undefined
  }
}
