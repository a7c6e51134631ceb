import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openMs } from '../limits.js'

const pollMs = 50

/** @throws with the problem when it stays, or when the program has ended */
export async function untilTrue(problem: string, program: ChildProcess, isTrue: () => Promise<boolean>): Promise<void> {
  for (const endsAt = performance.now() + openMs; performance.now() < endsAt; await delay(pollMs)) {
    if (program.exitCode !== null || program.signalCode !== null) throw new Error(`${problem}: the program has ended`)
    if (await isTrue()) return
  }
  throw new Error(`${problem} after ${openMs / 1_000} s`)
}

export function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    const answer = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
  })
}

export async function says({ url, text }: { readonly url: string; readonly text: string }): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(openMs) })
  return (await answer.text()).includes(text)
}
