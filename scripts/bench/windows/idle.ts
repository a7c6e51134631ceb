import { setTimeout as delay } from 'node:timers/promises'
import { command } from '../../hub-process.js'
import { idleQuickMs, idleSettleMs, idleUsualMs, idleWorkers } from '../limits.js'
import { startWorker } from '../subjects/installation.js'
import { freshEnvironment } from '../subjects/installation-environments.js'
import { Scene } from '../subjects/scene.js'
import { cpuMsOf, residentMebibytesOf } from './process-cpu.js'

export interface IdleHub {
  readonly workers: number
  /** Of one core. */
  readonly cpuPercent: number
  readonly mebibytes: number
}

/** What a hub costs while nobody asks it anything. */
export async function measureIdleHub(quick: boolean): Promise<IdleHub> {
  await using scene = new Scene()
  const environment = freshEnvironment(scene, 'idle')
  const program = { command: process.execPath, args: [command, 'hub', '--stdio'], env: environment }
  const client = await scene.client({ kind: 'stdio', tool: 'echo', era: 'legacy', program })
  const hub = client.program!
  for (let index = 0; index < idleWorkers; index += 1) {
    await startWorker(scene, environment, `idle-${index}`, `echo_${index}`)
  }
  await delay(quick ? 0 : idleSettleMs)
  const [startedAt, cpuMs] = [performance.now(), cpuMsOf(hub)]
  await delay(quick ? idleQuickMs : idleUsualMs)
  const cpuPercent = ((cpuMsOf(hub) - cpuMs) / (performance.now() - startedAt)) * 100
  return { workers: idleWorkers, cpuPercent, mebibytes: residentMebibytesOf(hub) }
}
