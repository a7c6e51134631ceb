import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { networkNames } from '../config.js'
import type { OutboxPart, OutboxRow } from '../publishing/outbox-row.js'

export const outboxStatuses = ['queued', 'publishing', 'posted', 'failed', 'unknown'] as const
export const time = z.string()
export const maybeTime = time.nullable()

export const outboxView = z.strictObject({
  id: z.int(),
  item_id: z.int(),
  network: z.enum(networkNames),
  status: z.enum(outboxStatuses),
  due_at: time,
  attempts: z.int(),
  next_try_at: maybeTime,
  last_code: z.string().nullable(),
  last_error: z.string().nullable(),
  verified_at: maybeTime,
  parts: z.array(
    z.strictObject({
      position: z.int(),
      status: z.enum(['queued', 'sending', 'sent', 'verified']),
      remote_id: z.string().nullable(),
      url: z.string().nullable(),
      verified_at: maybeTime,
    }),
  ),
})

export const textOf = (at: number | null) => (at === null ? null : utcText(at))

export function viewOutbox(row: OutboxRow, parts: readonly OutboxPart[]): z.output<typeof outboxView> {
  const isOpen = row.status === 'queued' || row.status === 'unknown'
  return {
    id: row.id,
    item_id: row.approval_id,
    network: row.network,
    status: row.status,
    due_at: utcText(row.due_at),
    attempts: row.attempts,
    next_try_at: isOpen && row.next_try_at <= latestTime ? utcText(row.next_try_at) : null,
    last_code: row.last_code,
    last_error: row.last_error,
    verified_at: textOf(row.verified_at),
    parts: parts.map(({ position, status, remote_id, url, verified_at }) => ({
      position,
      status,
      remote_id,
      url,
      verified_at: textOf(verified_at),
    })),
  }
}

/** The year 9999: what lies behind means never. */
const latestTime = 253_402_300_799_999
