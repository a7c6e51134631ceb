import { setTimeout as delay } from 'node:timers/promises'
import { RawAgent, type RawAnswer, type RawMessage } from '@callboard/testkit'
import { outcomeOf } from './asked-call.js'

export const clockUri = 'soak://clock'

/** What the visitors of a soak have met with, together. */
export interface Visits {
  visits: number
  results: number
  progress: number
  cancelled: number
  updates: number
  listChanges: number
  /** Given up in the middle of a call. */
  abandoned: number
  /** In words: what should not have been. */
  readonly failures: string[]
}

export const noVisits = (): Visits => ({
  visits: 0,
  results: 0,
  progress: 0,
  cancelled: 0,
  updates: 0,
  listChanges: 0,
  abandoned: 0,
  failures: [],
})

export interface VisitOptions {
  readonly socket: string
  readonly era: 'legacy' | 'modern'
  readonly stayMs: number
  /** Leaves while a call of it runs. */
  readonly leavesEarly: boolean
}

const failuresKept = 100
const steps = { steps: 5, eachMs: 20 }
const manySteps = { steps: 500, eachMs: 20 }

/** One agent comes, asks, cancels, listens for a while, and leaves. Never rejects. */
export async function visit({ socket, era, stayMs, leavesEarly }: VisitOptions, visits: Visits): Promise<void> {
  visits.visits += 1
  const fail = (what: string) => visits.failures.length < failuresKept && visits.failures.push(`${era}: ${what}`)
  try {
    const agent = await RawAgent.attach(socket, { era, onMessage: (message) => hear(message, visits) })
    await agent.ask('tools/list')
    listen(agent, era)
    const answer = await agent.ask('tools/call', stepsCall(steps))
    if (outcomeOf(answer) === 'result') visits.results += 1
    else fail(JSON.stringify(answer))
    await cancelOne(agent, visits, fail)
    await delay(stayMs)
    if (leavesEarly) {
      agent.begin('tools/call', stepsCall(manySteps)).answer.catch(() => undefined)
      await agent.ask(era === 'legacy' ? 'ping' : 'server/discover')
      visits.abandoned += 1
    }
    agent.close()
    await agent.closed
  } catch (error) {
    fail((error as Error).message)
  }
}

function hear({ method }: RawMessage, visits: Visits): void {
  if (method === 'notifications/progress') visits.progress += 1
  else if (method === 'notifications/resources/updated') visits.updates += 1
  else if (method === 'notifications/tools/list_changed') visits.listChanges += 1
}

/** For as long as it stays. */
function listen(agent: RawAgent, era: 'legacy' | 'modern'): void {
  const notifications = { toolsListChanged: true, resourceSubscriptions: [clockUri] }
  const asked =
    era === 'legacy'
      ? agent.ask('resources/subscribe', { uri: clockUri })
      : agent.ask('subscriptions/listen', { notifications })
  asked.catch(() => undefined)
}

/** Of what is cancelled nothing more is heard; the next question is answered all the same. */
async function cancelOne(agent: RawAgent, visits: Visits, fail: (what: string) => unknown): Promise<void> {
  const { id, answer } = agent.begin('tools/call', stepsCall(manySteps))
  let isAnswered = false
  answer.then(
    () => {
      isAnswered = true
    },
    () => undefined,
  )
  agent.notify('notifications/cancelled', { requestId: id })
  const next: RawAnswer = await agent.ask('tools/call', stepsCall(steps))
  if (isAnswered || outcomeOf(next) !== 'result') fail(`after a cancellation: ${isAnswered} ${JSON.stringify(next)}`)
  visits.cancelled += 1
}

const stepsCall = (args: object) => ({ name: 'soak_steps', arguments: args, _meta: { progressToken: 1 } })
