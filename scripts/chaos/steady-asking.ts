import { now } from '../hub-process.js'
import { outcomeOf } from './asked-call.js'
import type { PatientAgent, Way } from './patient-agent.js'
import type { CallRecord } from './records.js'

/** A call, who made it, and when its agent knew how it ended. */
export interface PatientCall extends CallRecord {
  readonly agent: string
  readonly way: Way
  readonly settledAt?: number
  /** What the agent was told, where it is no result. */
  readonly message?: string
}

export interface AskingOptions {
  /** Begins the canaries of this agent. */
  readonly name: string
  readonly everyMs: number
  readonly tools: readonly string[]
  /** Least and most, in ms. */
  readonly workMs: readonly [number, number]
}

/** Of one agent: beyond it, it waits for an answer. */
const openMax = 64
/** An end that does not say whether the call ran: it may begin after that. */
const uncertain: ReadonlySet<string> = new Set(['lost', 'outcome_unknown', 'no_answer'])

/** Lets an agent ask at a fixed pace, whatever becomes of what it asked before. */
export class SteadyAsking {
  readonly calls: PatientCall[] = []
  readonly #agent: PatientAgent
  readonly #options: AskingOptions
  readonly #timer: NodeJS.Timeout
  #open = 0

  constructor(agent: PatientAgent, options: AskingOptions) {
    this.#agent = agent
    this.#options = options
    this.#timer = setInterval(() => void this.#ask(), options.everyMs)
  }

  get open(): number {
    return this.#open
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #ask(): Promise<void> {
    if (!this.#agent.canAsk || this.#open >= openMax) return
    const { name, tools, workMs } = this.#options
    const serial = this.calls.length
    const canary = `${name}-${serial}`
    const { way } = this.#agent
    const asked = { canary, kind: 'record' as const, agent: name, way, sentAt: now(), answers: 0, foreign: 0 }
    this.calls.push(asked)
    this.#open += 1
    const args = { canary, workMs: workMs[0] + ((serial * 7919) % (workMs[1] - workMs[0] + 1)) }
    const reply = await this.#agent.ask(tools[serial % tools.length]!, args)
    this.#open -= 1
    this.calls[serial] = settled(asked, reply)
  }
}

/** To its agent the end of a connection is how the call ended: one answer, like the others. */
function settled(asked: PatientCall, reply: Awaited<ReturnType<PatientAgent['ask']>>): PatientCall {
  const outcome = reply.kind === 'failure' ? reply.code : outcomeOf(reply.answer)
  const at = now()
  const ended = { ...asked, answers: 1, outcome, settledAt: at, ...(!uncertain.has(outcome) && { answeredAt: at }) }
  if (reply.kind === 'failure') return { ...ended, message: reply.message }
  if (outcome !== 'result') return ended
  const { canary, process } = (reply.answer.result?.['structuredContent'] ?? {}) as {
    canary?: string
    process?: string
  }
  return { ...ended, foreign: canary === asked.canary ? 0 : 1, ...(process !== undefined && { process }) }
}
