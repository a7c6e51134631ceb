import type { Request } from '@callboard/protocol'
import type { CallOutcome, SessionEvent } from '@callboard/worker'
import { contentOf, parse } from './check-history.js'
import { type Content, type History, Violation } from './history.js'
import type { CallBody, Canary, Plan, Step } from './plan.js'

/** What a handler needs of its process. */
export interface HandlerHost {
  readonly history: History
  readonly service: string
  readonly isTrusted: boolean
  dispatch(event: SessionEvent): void
  after(ms: number, action: () => void): void
  nextNestedId(owner: SimulatedHandler): string
  givenUp(id: string): void
  /** The handler will never settle, whatever happens. */
  stuck(): void
  ended(handler: SimulatedHandler): void
}

/** What becomes of every call in a sick worker. */
export type Sickness = 'is_error' | 'error' | 'never'

type State = 'running' | 'asking' | 'calling' | 'minting' | 'hanging' | 'over'

/** Carries out one plan. */
export class SimulatedHandler {
  readonly request: Request
  readonly run: string
  readonly #host: HandlerHost
  readonly #canary: Canary
  readonly #plan: Plan
  #minting: string | undefined
  #awaited: string | undefined
  #position = 0
  #nested = 0
  #state: State = 'running'
  #abortCause: string | undefined

  constructor(request: Request, run: string, host: HandlerHost, sickness?: Sickness) {
    const { canary, plan } = parse(request.body) as CallBody
    this.request = request
    this.run = run
    this.#host = host
    this.#canary = canary
    this.#plan = sickness === undefined ? plan : { steps: [], end: sickness, onAbort: 0 }
    this.#checkCaller()
  }

  get canary(): Canary {
    return this.#canary
  }

  get isSuspended(): boolean {
    return this.#state === 'asking'
  }

  begin(): void {
    this.#next()
  }

  abort(cause: string): void {
    if (this.#state === 'over' || this.#abortCause !== undefined) return
    this.#host.history.add({ kind: 'aborted', run: this.run, cause })
    this.#abortCause = cause
    const { onAbort, end } = this.#plan
    if (onAbort === 'never' || (onAbort === 'ignore' && end === 'never')) {
      this.#state = 'hanging'
      return this.#host.stuck()
    }
    if (onAbort === 'ignore') {
      if (this.#state === 'asking') this.#continue('asking')
      return
    }
    if (onAbort === 0) this.#end()
    else this.#host.after(onAbort, () => this.#end())
  }

  resumed(answers: { readonly [key: string]: unknown }): void {
    if (this.#state !== 'asking') return
    const answer = answers['q'] as { echo?: Canary } | undefined
    if (answer?.echo?.call !== this.#canary.call) {
      throw new Violation(`${this.#canary.call} asked, and got the answer to ${answer?.echo?.call ?? 'nothing'}`)
    }
    this.#continue('asking')
  }

  inputRefused(): void {
    this.#continue('asking')
  }

  settled(id: string): void {
    if (this.#awaited !== id) return
    this.#awaited = undefined
    this.#continue('calling')
  }

  /** True when that was the minting of a token, which is no call of the history. */
  settledMint(id: string, result: CallOutcome): boolean {
    if (this.#minting !== id) return false
    this.#minting = undefined
    if (this.#state === 'minting') this.#minted(id, result)
    return true
  }

  /** The process is gone. */
  vanish(): void {
    this.#state = 'over'
  }

  /** The hub must say of a caller what the agent at the root is. [CB-35] */
  #checkCaller(): void {
    const { session, principal, depth, onBehalfOf } = this.request.caller
    const { call, session: known, principal: root, depth: expected } = this.#canary
    if (expected < 0) return
    if (known !== undefined && session !== known) throw new Violation(`${call} came in the name of session ${session}`)
    if (depth !== expected) throw new Violation(`${call} came with depth ${depth}, not ${expected}`)
    if (depth === 0 ? principal !== root : onBehalfOf !== root) {
      throw new Violation(`${call} came in the name of ${principal}, for ${onBehalfOf ?? 'nobody'}; it is ${root}'s`)
    }
  }

  #continue(from: State): void {
    if (this.#state !== from) return
    this.#state = 'running'
    this.#next()
  }

  #next(): void {
    if (this.#state !== 'running') return
    const step = this.#plan.steps[this.#position++]
    if (step === undefined) return this.#finish()
    switch (step.do) {
      case 'wait':
        return this.#host.after(step.ms, () => this.#next())
      case 'progress':
        this.#host.dispatch({ type: 'handler_progress', id: this.request.id, body: this.#encode(this.#content()) })
        return this.#next()
      case 'log':
        this.#host.dispatch({
          type: 'handler_logged',
          id: this.request.id,
          level: 'warning',
          body: this.#encode(this.#content()),
        })
        return this.#next()
      case 'ask':
        return this.#ask()
      case 'call':
        return this.#call(step)
      default:
        step satisfies never
    }
  }

  #ask(): void {
    if (!this.request.client.input.includes('form')) return this.#next()
    this.#state = 'asking'
    const questions = { q: { method: 'elicitation/create', params: { canary: this.#canary } } } as const
    this.#host.dispatch({ type: 'input_asked', id: this.request.id, questions })
  }

  #call(step: Extract<Step, { do: 'call' }>): void {
    if (step.byToken === true && this.#host.isTrusted) return this.#mint()
    this.#start(step, { parent: this.request.id }, this.#canary.principal)
  }

  #mint(): void {
    const id = this.#host.nextNestedId(this)
    const wish = { agent: `minted-${id}`, ttlMs: 5_000 }
    this.#minting = id
    this.#state = 'minting'
    this.#host.dispatch({
      type: 'call_started',
      call: { id, method: 'callboard/token.mint', name: '', on: 'own', progress: false, body: this.#encode(wish) },
    })
  }

  #minted(id: string, result: CallOutcome): void {
    const step = this.#plan.steps[this.#position - 1]
    this.#state = 'running'
    const answer = result.outcome === 'result' ? (parse(result.body) as { token: string }) : undefined
    if (answer === undefined || step?.do !== 'call') return this.#next()
    this.#start(step, { token: answer.token }, `agent:minted-${id}`)
  }

  #start(
    step: Extract<Step, { do: 'call' }>,
    on: { readonly parent: string } | { readonly token: string },
    principal: string,
  ): void {
    const { tool, plan, waits, timeoutMs, giveUpMs } = step
    const id = this.#host.nextNestedId(this)
    const byToken = 'token' in on
    const canary: Canary = {
      call: `${this.#canary.call}>${this.run}.${this.#nested++}`,
      root: byToken ? `token ${id}` : this.#canary.root,
      session: byToken ? undefined : this.#canary.session,
      principal,
      depth: byToken ? 1 : this.#canary.depth < 0 ? -1 : this.#canary.depth + 1,
      retriable: /[23]$/.test(tool),
    }
    this.#host.history.add({ kind: 'nested_called', id, run: this.run, canary })
    if (waits) {
      this.#awaited = id
      this.#state = 'calling'
    }
    this.#host.dispatch({
      type: 'call_started',
      call: {
        id,
        method: 'tools/call',
        name: tool,
        on,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        progress: true,
        body: this.#encode({ canary, plan }),
      },
    })
    if (giveUpMs !== undefined) this.#host.after(giveUpMs, () => this.#giveUp(id))
    if (!waits) this.#next()
  }

  #giveUp(id: string): void {
    if (this.#awaited !== id || this.#state !== 'calling') return
    this.#awaited = undefined
    this.#host.givenUp(id)
    this.#host.history.add({
      kind: 'nested_settled',
      id,
      outcome: 'failure',
      content: undefined,
      failure: { code: 'cancelled', message: 'given up' },
    })
    this.#host.dispatch({ type: 'call_given_up', id })
    this.#continue('calling')
  }

  #finish(): void {
    if (this.#plan.end !== 'never') return this.#end()
    this.#state = 'hanging'
    if (this.#abortCause !== undefined) this.#host.stuck()
  }

  #end(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    const content = this.#content()
    this.#host.history.add({ kind: 'ended', run: this.run, content })
    const { id } = this.request
    const { end } = this.#plan
    this.#host.ended(this)
    this.#host.dispatch({
      type: 'handler_settled',
      id,
      result:
        end === 'error'
          ? { outcome: 'error', body: this.#encode({ code: -32_000, message: 'refused', data: content }) }
          : { outcome: 'result', isError: end === 'is_error', body: this.#encode(content) },
    })
  }

  #content(): Content {
    const aborted = this.#plan.onAbort === 'ignore' ? undefined : this.#abortCause
    return { canary: this.#canary, run: this.run, ...(aborted === undefined ? {} : { aborted }) }
  }

  #encode(value: object): Uint8Array {
    return Buffer.from(JSON.stringify(value))
  }
}

/** What came back for a nested call, as a record. */
export function nestedContent(result: CallOutcome): Content | undefined {
  return result.outcome === 'failure' ? undefined : contentOf(result.body)
}
