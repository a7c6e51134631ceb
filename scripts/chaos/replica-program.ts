// A replica of the service that is tried: `node replica-program.js LABEL DIRECTORY CONCURRENCY TIMEOUT_MS`. Tells its parent
// the instance when it is welcomed.
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'
import { now } from '../hub-process.js'
import { briefTimeoutMs, type ToolKind } from './records.js'

const [label = 'replica', directory = '.', concurrency = '16', timeoutMs = '120000'] = process.argv.slice(2)
/** Written without a buffer: what a process that is killed has begun stays known. */
const journal = openSync(join(directory, `${label}.runs`), 'a')
const worker = defineWorker({ service: 'chaos', version: '1.0.0', concurrency: Number(concurrency) })
const input = z.object({ canary: z.string(), workMs: z.number().min(0).max(60_000) })

const wait = (workMs: number) => delay(workMs)
offer('record', {}, Number(timeoutMs), wait)
offer('record_idempotent', { idempotentHint: true }, Number(timeoutMs), wait)
offer('record_brief', {}, briefTimeoutMs, wait)
offer('read', { readOnlyHint: true }, Number(timeoutMs), wait)
offer('burn', {}, Number(timeoutMs), async (workMs) => burn(workMs))

process.on('disconnect', () => process.exit())
const running = await worker.start()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void running.stop())
process.send?.(running.instance)
await running.closed
process.disconnect?.()

type Hints = { readonly idempotentHint?: true; readonly readOnlyHint?: true }

function offer(
  kind: ToolKind,
  annotations: Hints,
  timeoutMs: number,
  work: (workMs: number) => Promise<unknown>,
): void {
  const spec = { description: `Takes its time: ${kind}`, input, annotations, timeoutMs }
  worker.tool(kind, spec, async ({ canary, workMs }) => {
    writeSync(journal, `start ${canary} ${kind} ${now()}\n`)
    if (workMs > 0) await work(workMs)
    writeSync(journal, `end ${canary} ${kind} ${now()}\n`)
    return { canary, process: label }
  })
}

/** Keeps the event loop for itself. */
function burn(forMs: number): void {
  const endsAt = performance.now() + forMs
  while (performance.now() < endsAt);
}
