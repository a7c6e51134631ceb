import { StoreError, storable } from '@callboard/store'
import { z } from 'zod'
import type { ContentWriter } from '../content/content-writer.js'
import type { Foundation } from '../foundation.js'
import { checkMs, checkWordsMax } from '../limits.js'
import type { Networks } from '../networks/networks.js'
import { countOutbox, type OutboxCounts } from '../status/outbox-counts.js'
import { late, withinTime } from '../status/within-time.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export interface HealthCheckParts extends Foundation {
  readonly networks: Networks
  readonly writer: Pick<ContentWriter, 'check'>
}

const health = z.strictObject({ status: z.enum(['ok', 'error', 'not_configured']), message: z.string() })
type Health = z.output<typeof health>

const data = z.strictObject({
  database: health,
  llm: health,
  networks: z.record(z.string(), health),
  outbox: z
    .strictObject({ queued: z.int(), unknown: z.int(), failed: z.int() })
    .exactOptional()
    .describe('Absent when the database does not answer'),
})

/** Never fails: each part answers for itself, all at once, and none is waited for longer than a few seconds. */
export function healthCheckTool(parts: HealthCheckParts): SocialTool {
  const { networks, writer } = parts
  return answering({
    name: 'health_check',
    title: 'Health',
    description:
      'Whether the database, the LLM and the networks answer, and how many posts wait, failed, or may be out without anybody ' +
      'knowing (unknown).',
    input: z.strictObject({}),
    data,
    marks: { ...reads, openWorldHint: true },
    async answer() {
      const checks = networks.all.map(async (network) => {
        return [network.name, await ask(parts, network.name, (signal) => network.check(signal))] as const
      })
      const [stored, llm, ...answers] = await Promise.all([
        askDatabase(parts),
        ask(parts, 'The LLM', (signal) => writer.check(signal)),
        ...checks,
      ])
      return { data: { ...stored, llm, networks: Object.fromEntries(answers) } }
    },
  })
}

/** Nothing of the reason is told: whoever promised never to reject did, and nobody knows what the words hold. */
function ask(
  { clock, log }: Foundation,
  who: string,
  check: (signal: AbortSignal) => Promise<Health>,
): Promise<Health> {
  return withinTime<Health>(
    clock,
    checkMs,
    async (signal) => {
      const { status, message } = await check(signal)
      return { status, message: storable(message, checkWordsMax) }
    },
    (reason) => {
      if (reason !== late) log.error({ err: reason, who }, 'check failed')
      const what = reason === late ? `did not answer within ${checkMs / 1_000} s` : 'could not be checked'
      return { status: 'error', message: `${who} ${what}.` }
    },
  )
}

interface Stored {
  readonly database: Health
  readonly outbox?: OutboxCounts
}

function askDatabase({ clock, log, store }: Foundation): Promise<Stored> {
  return withinTime<Stored>(
    clock,
    checkMs,
    async () => {
      const outbox = await countOutbox(store.db)
      return { database: { status: 'ok', message: `${dialects[store.dialect]} answers.` }, outbox }
    },
    (reason) => {
      if (reason !== late) log.error({ err: reason }, 'the database failed its check')
      // Its own words may hold paths and addresses.
      const code = reason instanceof StoreError ? ` (${reason.code})` : ''
      const message =
        reason === late
          ? `The database did not answer within ${checkMs / 1_000} s.`
          : `The database can not be used${code}; an operator has to look at the log of the social worker.`
      return { database: { status: 'error', message } }
    },
  )
}

const dialects = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
