import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openMs } from '../limits.js'

const pollMs = 50

/** Resolves when somebody listens there. @throws when the program has ended before */
export async function untilListening(url: string, program: ChildProcess): Promise<void> {
  const { hostname, port } = new URL(url)
  for (const endsAt = performance.now() + openMs; performance.now() < endsAt; await delay(pollMs)) {
    if (program.exitCode !== null || program.signalCode !== null) throw new Error('the program has ended')
    if (await listens(hostname, Number(port))) return
  }
  throw new Error(`nobody listens on port ${port} after ${openMs / 1_000} s`)
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const answer = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
  })
}
