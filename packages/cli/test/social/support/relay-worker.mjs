// A worker of the user's own: it calls any tool for whoever asks, and mints a token as one that starts agents would.
import { readFileSync } from 'node:fs'
import { CallFailure, defineWorker } from '@callboard/worker'
import { z } from 'zod'

const worker = defineWorker({ service: 'relay', version: '1.0.0' })
const call = z.strictObject({ tool: z.string(), args: z.looseObject({}) })

let last

worker.tool('relay', { description: 'Calls', input: call }, async ({ tool, args }, context) => {
  const outcome = await outcomeOf(context.call(tool, args))
  last = { ...outcome, caller: context.caller }
  return outcome
})
worker.tool('last_relayed', { description: 'Tells', input: z.strictObject({}) }, () => ({ last }))
worker.tool('mint', { description: 'Mints', input: z.strictObject({}) }, async () => {
  const run = { id: 'run-1', attempt: 1, triggerDepth: 1 }
  const { token } = await worker.mintToken({ agent: 'runner', group: 'main', ttlMs: 600_000, run })
  return { token }
})

async function outcomeOf(call) {
  try {
    const { structuredContent, isError = false } = await call
    return { isError, structuredContent }
  } catch (error) {
    if (error instanceof CallFailure) return { isError: true, failure: error.code }
    throw error
  }
}

const secret = readFileSync(`${process.env.CALLBOARD_DATA}/sign-in.secret`, 'utf8').trim()
await worker.start({ endpoint: `ipc://${process.env.CALLBOARD_RUNTIME}/worker.sock`, secret, logLevel: 'silent' })
process.send('ready')
