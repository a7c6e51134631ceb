import { readFileSync } from 'node:fs'
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

/** A worker that starts agents: it mints one token, and brings it back to each hub that it signs in at. */
const worker = defineWorker({ service: 'minter', version: '1.0.0' })
const grant = { agent: 'runner', group: 'lab', ttlMs: 600_000, run: { id: 'run-1', attempt: 1, triggerDepth: 2 } }
let token

worker.tool('whoami', { description: 'Tells', input: z.strictObject({}) }, (_, { caller }) => caller)
worker.onConnection(async (state) => {
  if (state !== 'ready') return
  const minted = await worker.mintToken(token === undefined ? grant : { ...grant, token })
  token = minted.token
  process.send({ token })
})

const secret = readFileSync(`${process.env.CALLBOARD_DATA}/sign-in.secret`, 'utf8').trim()
await worker.start({ endpoint: `ipc://${process.env.CALLBOARD_RUNTIME}/worker.sock`, secret, logLevel: 'silent' })
process.send('ready')
