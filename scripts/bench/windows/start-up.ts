import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { command } from '../../hub-process.js'
import { clientInfo, legacyRevision } from '../client/call-texts.js'
import { startMs, startsQuick, startsUsual } from '../limits.js'
import { freshEnvironment } from '../subjects/installation-environments.js'
import { Scene } from '../subjects/scene.js'
import { type Spread, spreadOf } from './ratios.js'

type Variables = { readonly [name: string]: string }

export interface StartUp {
  /** ms from the start of `callboard stdio` to its first answer, with no hub running: it starts one. */
  readonly cold: Spread
  /** The same with a running hub. */
  readonly warm: Spread
  readonly starts: number
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: legacyRevision, capabilities: {}, clientInfo },
})

/** As an agent starts it, and as a user has it: the installed command with the usual workers. */
export async function measureStartUp(quick: boolean): Promise<StartUp> {
  await using scene = new Scene()
  const starts = quick ? startsQuick : startsUsual
  const cold: number[] = []
  const warm: number[] = []
  for (let start = 0; start < starts; start += 1) {
    const environment = freshEnvironment(scene, `start-${start}`)
    cold.push(await timeToFirstAnswer(environment))
    await endHub(environment)
  }
  const environment = freshEnvironment(scene, 'start-warm')
  const program = { command: process.execPath, args: [command, 'hub', '--stdio'], env: environment }
  await scene.client({ kind: 'stdio', tool: 'echo', era: 'legacy', program })
  for (let start = 0; start < starts; start += 1) warm.push(await timeToFirstAnswer(environment))
  return { cold: spreadOf(cold)!, warm: spreadOf(warm)!, starts }
}

/** In ms. @throws when there is none */
async function timeToFirstAnswer(env: Variables): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [command, 'stdio'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  try {
    child.stdin.write(`${initialize}\n`)
    const [chunk] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(startMs) })
    const ms = performance.now() - startedAt
    if (!`${chunk}`.includes('"protocolVersion"')) throw new Error(`callboard stdio answered ${chunk}`)
    return ms
  } finally {
    child.stdin.end()
    await Promise.race([ended, delay(startMs, undefined, { ref: false })])
    child.kill('SIGKILL')
  }
}

/** The next start must have the machine to itself. */
async function endHub(env: Variables): Promise<void> {
  await promisify(execFile)(process.execPath, [command, 'down'], { env, timeout: startMs })
}
