import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

// biome-ignore lint/suspicious/noExplicitAny: each check knows what its tool answers.
type Data = any

const ada = { principal: 'agent:ada' }
const operator = { principal: 'operator:root', roles: ['agent', 'operator'] }

/** A social worker that runs in a process of its own, and can be killed. */
export class SocialChild implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface

  /** `options`: those of openSocial; `aheadMs`: of its clock. */
  constructor(options: object, aheadMs = 0) {
    const program = fileURLToPath(new URL('social-process.js', import.meta.url))
    this.#process = spawn(process.execPath, [program, JSON.stringify(options), String(aheadMs)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], CALLBOARD_LOG_LEVEL: 'silent' },
    })
    this.#reader = createInterface({ input: this.#process.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  /** The data of a call that is not refused; an agent's, unless it is a decision. */
  async ask(tool: string, args: object = {}, caller: object = ada): Promise<Data> {
    this.#process.stdin.write(`${JSON.stringify({ tool, args, caller, key: randomUUID() })}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the worker ended')
    const { success, data, error } = JSON.parse(value)
    if (!success) throw new Error(`${tool}: ${JSON.stringify(error)}`)
    return data
  }

  /** A person lets out what an agent proposed, as it was proposed. */
  async approve({ id, rev, content_hash }: Data): Promise<void> {
    await this.ask('approve_item', { id, rev, content_hash }, operator)
  }

  /** Proposed by an agent, approved by a person; the id of the item. */
  async approved(args: object): Promise<number> {
    const proposed = await this.ask('propose_post', args)
    await this.approve(proposed)
    return proposed.id
  }

  /** The item as it is out, once it has been read back and found to be what was meant. */
  async verified(id: number): Promise<Data> {
    for (let look = 0; look < 400; look += 1) {
      const { status } = await this.ask('get_item', { id })
      if (status === 'posted') {
        const { verified, differences } = await this.ask('verify_post', { id })
        if (!verified) throw new Error(`item ${id} is not what was meant: ${JSON.stringify(differences)}`)
        return await this.ask('get_item', { id })
      }
      await pause(50)
    }
    throw new Error(`item ${id} was never posted: ${JSON.stringify(await this.ask('get_item', { id }))}`)
  }

  /** As when the power fails. */
  async kill(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.stdin.end()
    await ended
  }
}
