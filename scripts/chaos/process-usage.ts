import { readdirSync, readFileSync } from 'node:fs'

/** What the system says that a process uses. */
export interface ProcessUsage {
  /** So far, in steps of 10 ms. */
  readonly cpuMs: number
  readonly residentBytes: number
  /** Files, sockets, pipes. */
  readonly handles: number
}

/** @throws when there is no such process */
export function usageOf(pid: number): ProcessUsage {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13)
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return {
    cpuMs: (Number(user) + Number(system)) * 10,
    residentBytes: Number(kibibytes) * 1024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
  }
}
