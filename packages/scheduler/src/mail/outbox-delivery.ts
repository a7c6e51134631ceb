import type { Foundation } from '../foundation.js'
import { mailCloseGraceMs, mailLeaseMs, mailSendMs, mailsAtOnceMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import { DueLoop } from './due-loop.js'
import type { MailTransport, SendResult } from './mail-transport.js'
import type { NewMail, Outbox } from './outbox.js'
import { claimDue, claimOne, nextClaimAt } from './outbox-claims.js'
import { markDead, markRevived, markSent } from './outbox-dependants.js'
import { newOutboxRow, type OutboxRow, outgoingMail } from './outbox-row.js'
import { giveBack, revive, type Settled, settle } from './outbox-settling.js'

/** Part of the transaction that notes what became of a mail. */
export interface OutboxHooks {
  onSent?(db: Database, row: OutboxRow): Promise<void>
  onDead?(db: Database, row: OutboxRow): Promise<void>
}

/**
 * Sends what is in the outbox, at least once: `pending → sending → sent | pending | dead`. Any number of processes share
 * one; a mail is sent by one at a time. Without a transport it only takes mails in.
 */
export class OutboxDelivery implements Outbox, AsyncDisposable {
  readonly #foundation: Foundation
  readonly #transport: MailTransport | undefined
  readonly #hooks: OutboxHooks
  readonly #loop: DueLoop
  readonly #stop = new AbortController()
  /** What this process sends now, by id of the row. */
  readonly #underWay = new Map<string, Promise<Settled>>()
  #closing = false

  constructor(foundation: Foundation, transport: MailTransport | undefined, hooks: OutboxHooks = {}) {
    this.#foundation = foundation
    this.#transport = transport
    this.#hooks = hooks
    const { clock, log } = foundation
    this.#loop = new DueLoop({ clock, log, name: 'outbox', work: () => this.deliverDue() })
  }

  start(): void {
    if (this.#transport !== undefined) this.#loop.start()
  }

  async add(db: Database, mail: NewMail): Promise<string> {
    const row = newOutboxRow(this.#foundation.newId('out'), mail, this.#foundation.clock.now())
    await db.insertInto('outbox').values(row).execute()
    return row.id
  }

  wake(): void {
    this.#loop.wake()
  }

  async sendNow(id: string, timeoutMs: number): Promise<'sent' | 'queued' | 'dead'> {
    const { clock, log } = this.#foundation
    const done = new AbortController()
    const timeout = clock.sleepUntil(clock.now() + timeoutMs, done.signal).then(() => 'pending' as const)
    try {
      const state = await Promise.race([this.#deliverOne(id), timeout])
      return state === 'pending' ? 'queued' : state
    } catch (error) {
      log.warn({ outboxId: id, error: (error as Error).message }, 'a first try to send failed; goes on by itself')
      return 'queued'
    } finally {
      done.abort()
      this.wake()
    }
  }

  /** Sends all that is due, a few at a time; returns when to come again. Rejects with a StoreError. */
  async deliverDue(): Promise<number | undefined> {
    if (this.#transport === undefined) return undefined
    const { store, clock } = this.#foundation
    const next = await nextClaimAt(store.db)
    if (next === undefined || next > clock.now()) return next
    const lanes = await Promise.allSettled(Array.from({ length: mailsAtOnceMax }, () => this.#deliverWhileDue()))
    const failed = lanes.find((lane) => lane.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    return nextClaimAt(store.db)
  }

  /** A dead mail becomes pending again, inside the caller's transaction; call {@link wake} after it. False: it is not dead. */
  async requeue(db: Database, id: string): Promise<boolean> {
    const revived = await revive(db, id, this.#foundation.clock.now())
    if (revived) await markRevived(db, id)
    return revived
  }

  /** Lets mails under way finish for a moment, then gives them back. Idempotent. */
  async close(): Promise<void> {
    this.#closing = true
    const { clock } = this.#foundation
    const ended = new AbortController()
    const all = Promise.allSettled([this.#loop.close(), ...this.#underWay.values()]).then(() => ended.abort())
    await clock.sleepUntil(clock.now() + mailCloseGraceMs, ended.signal)
    this.#stop.abort()
    await all
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #deliverWhileDue(): Promise<void> {
    const { clock } = this.#foundation
    for (;;) {
      const row = await this.#claim((tx) => claimDue(tx, clock.now()))
      if (row === undefined) return
      await this.#deliver(row)
    }
  }

  async #deliverOne(id: string): Promise<Settled> {
    const { store, clock } = this.#foundation
    if (this.#transport === undefined) return 'pending'
    const row = await this.#claim((tx) => claimOne(tx, id, clock.now()))
    if (row !== undefined) return this.#deliver(row)
    // The loop was quicker.
    return this.#underWay.get(id) ?? (await stateOf(store.db, id))
  }

  /** Asks in its turn whether this process is about to end: what others gave back meanwhile is not for it any more. */
  #claim(claim: (db: Database) => Promise<OutboxRow | undefined>): Promise<OutboxRow | undefined> {
    return this.#foundation.store.transaction(async (tx) => (this.#closing ? undefined : claim(tx)))
  }

  #deliver(row: OutboxRow): Promise<Settled> {
    const delivery = this.#attempt(row).finally(() => {
      if (this.#underWay.get(row.id) === delivery) this.#underWay.delete(row.id)
    })
    this.#underWay.set(row.id, delivery)
    return delivery
  }

  async #attempt(row: OutboxRow): Promise<Settled> {
    const signal = this.#stop.signal
    const result = await this.#transport!.send(outgoingMail(row), { signal, timeoutMs: mailSendMs })
    if (signal.aborted && result.kind === 'deferred') {
      await giveBack(this.#foundation.store.db, row, this.#foundation.clock.now())
      return 'pending'
    }
    return this.#noteSurely(row, result)
  }

  /** What the server has taken must be known before the lease ends, or it is sent twice: a short trouble is waited out. */
  async #noteSurely(row: OutboxRow, result: SendResult): Promise<Settled> {
    const { clock } = this.#foundation
    const end = clock.now() + mailLeaseMs - mailSendMs
    for (;;) {
      try {
        return await this.#note(row, result)
      } catch (error) {
        if (clock.now() >= end || this.#stop.signal.aborted) throw error
        await clock.sleepUntil(clock.now() + 1_000, this.#stop.signal)
      }
    }
  }

  #note(row: OutboxRow, result: SendResult): Promise<Settled> {
    const { store, clock, log } = this.#foundation
    return store.transaction(async (tx) => {
      const state = await settle(tx, row, result, clock.now())
      if (state === undefined) {
        log.warn(
          { outboxId: row.id },
          'another process has taken over this mail: it may arrive twice, with one Message-ID',
        )
        return stateOf(tx, row.id)
      }
      if (state === 'sent') await this.#sent(tx, row)
      if (state === 'dead' && result.kind !== 'sent') await this.#dead(tx, row, result.error)
      return state
    })
  }

  async #sent(tx: Database, row: OutboxRow): Promise<void> {
    await markSent(tx, row, this.#foundation.clock.now())
    await this.#hooks.onSent?.(tx, row)
  }

  async #dead(tx: Database, row: OutboxRow, error: string): Promise<void> {
    await markDead(tx, row, error, this.#foundation.clock.now())
    await this.#hooks.onDead?.(tx, row)
  }
}

async function stateOf(db: Database, id: string): Promise<Settled> {
  const row = await db.selectFrom('outbox').select('state').where('id', '=', id).executeTakeFirst()
  return row?.state === 'sent' || row?.state === 'dead' ? row.state : 'pending'
}
