import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { readEnvironment } from '../environment.js'
import { connectHub, isNobodyThere } from '../hub-link/hub-socket.js'
import { readHubStatus } from '../hub-link/hub-status.js'
import { operate } from '../hub-link/operate.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import * as limits from '../limits.js'
import { print } from '../output.js'
import { CommandError } from '../usage-error.js'

export async function runDown(): Promise<void> {
  const environment = readEnvironment()
  const { runtimeDirectory } = environment
  requireOwnDirectory(runtimeDirectory)
  const { mcpSocket } = runtimeFiles(runtimeDirectory)
  const status = await readHubStatus(mcpSocket)
  if (status === undefined) {
    print(`No hub is running in ${runtimeDirectory}.`)
    return
  }
  const { pid } = status.hub
  const hasWorkers = status.snapshot.workers.length > 0
  await operate(environment, { command: 'down' }).catch((error: unknown) => {
    // Somebody else was quicker.
    if (!isNobodyThere(error)) throw error
  })
  await untilGone(mcpSocket, pid)
  const others = hasWorkers ? ' and the workers that came with it; any other waits for the next hub' : ''
  print(`Ended the hub (process ${pid})${others}.`)
}

async function untilGone(path: string, pid: number): Promise<void> {
  const endsAt = performance.now() + limits.downWaitMs
  while ((await isAnswered(path)) || isAlive(pid)) {
    if (performance.now() > endsAt) {
      throw new CommandError(`The hub (process ${pid}) was told to end and still runs: end it with kill -9 ${pid}.`)
    }
    await delay(limits.downPollMs)
  }
}

async function isAnswered(path: string): Promise<boolean> {
  try {
    const socket = await connectHub(path)
    socket.destroy()
    return true
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Ended, and its parent has not noticed: in a container without an init nobody ever will. */
function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
