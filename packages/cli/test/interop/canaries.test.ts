import { fileURLToPath } from 'node:url'
import { Random } from '@callboard/testkit'
import { expect, it, vi } from 'vitest'
import { Installation } from '../support/installation.js'
import { type CanaryClient, canaryOnSocket, canaryOverHttp } from './canary-clients.js'

const seed = Number(process.env['SEED'] ?? 1)
const clientsCount = 50
const overHttpCount = 10
/** What one client does at once, and how much of it one after the other. */
const lanes = 4
const stepsPerLane = 25

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** How much of each kind a client must have heard in the end. */
type Expected = Record<keyof CanaryClient['heard'], number>

async function work(client: CanaryClient, expected: Expected): Promise<void> {
  const { canary } = client
  expected.progress += 1
  expected.log += 1
  const answer = await client.ask('tools/call', { name: 'work', arguments: { canary } })
  expect(answer.structuredContent).toEqual({ canary })
}

async function answerQuestion(client: CanaryClient, expected: Expected): Promise<void> {
  const { canary } = client
  expected.question += 1
  const answer = await client.ask('tools/call', { name: 'ask', arguments: { canary } })
  expect(answer.structuredContent).toEqual({ canary, answer: `${canary} answers` })
}

async function cancel(client: CanaryClient, expected: Expected, serial: number): Promise<void> {
  const canary = `${client.canary} ${serial}`
  expected.progress += 1
  await client.callAndCancel('wait', { canary })
  const answer = await client.ask('tools/call', { name: 'waited', arguments: { canary } })
  expect(answer.structuredContent).toEqual({ canary })
}

async function touch(client: CanaryClient, expected: Expected): Promise<void> {
  expected.update += 1
  await client.ask('tools/call', { name: 'touch', arguments: { uri: `canary://${client.canary}` } })
}

async function read({ ask, canary }: CanaryClient): Promise<void> {
  const uri = `canary://${canary}`
  expect((await ask('resources/read', { uri })).contents).toEqual([{ uri, text: canary }])
}

async function prompt({ ask, canary }: CanaryClient): Promise<void> {
  const { messages } = await ask('prompts/get', { name: 'say', arguments: { canary } })
  expect(messages[0].content.text).toBe(canary)
}

async function complete({ ask, canary }: CanaryClient): Promise<void> {
  const ref = { type: 'ref/resource', uri: 'canary://{canary}' }
  const { completion } = await ask('completion/complete', { ref, argument: { name: 'canary', value: canary } })
  expect(completion.values).toEqual([`${canary}!`])
}

const steps = [work, work, answerQuestion, cancel, touch, read, prompt, complete]

// Ids, progress tokens and what runs at once are the same for all of them: only the connection tells them apart.
it(`${clientsCount} clients at once each receive all that is theirs and nothing else (seed ${seed})`, async () => {
  const installation = new Installation({ CALLBOARD_HTTP: '127.0.0.1:0', CALLBOARD_HTTP_OPEN: '*' })
  await installation.hub()
  const replicas = [1, 2, 3].map((each) => installation.worker(file('./canary-worker.mjs'), [`${seed * 10 + each}`]))
  await Promise.all([...replicas, installation.worker(file('./waiting-worker.mjs'))])
  const url = await installation.httpUrl()
  const socket = `${installation.runtime}/mcp.sock`
  const random = new Random(seed)
  let alarm: (what: string) => void = () => undefined
  const alarmed = new Promise<never>((_, reject) => {
    alarm = (what) => reject(new Error(what))
  })

  const clients = await Promise.all(
    Array.from({ length: clientsCount }, (_, index) => {
      const canary = `canary-${index}-${random.integer(0, 2 ** 40).toString(36)}`
      if (index < overHttpCount) return canaryOverHttp(url, index % 2 === 0 ? 'sdk 1' : 'sdk 2 modern', canary, alarm)
      return canaryOnSocket(socket, index % 2 === 0 ? 'legacy' : 'modern', canary, alarm)
    }),
  )
  await Promise.all(clients.map((client) => client.watch(`canary://${client.canary}`)))

  const all = Promise.all(
    clients.map(async (client) => {
      const expected: Expected = { progress: 0, log: 0, update: 0, question: 0 }
      const lane = async (own: Random, name: number) => {
        for (let step = 0; step < stepsPerLane; step += 1) {
          await own.pick(steps)(client, expected, name * stepsPerLane + step)
        }
      }
      await Promise.all(Array.from({ length: lanes }, (_, name) => lane(random.fork(), name)))
      return expected
    }),
  )

  const expectations = await Promise.race([all, alarmed])
  // What was said after an answer may still be under way.
  const arrived = vi.waitFor(() => expect(clients.map(countsOf)).toEqual(expectations), { timeout: 5_000 })
  await Promise.race([arrived, alarmed])
  for (const { canary, heard } of clients) {
    for (const text of Object.values(heard).flat()) expect(text).toContain(canary)
  }
  await Promise.all(clients.map((client) => client.close()))
}, 60_000)

function countsOf({ heard }: CanaryClient): Expected {
  const { progress, log, update, question } = heard
  return { progress: progress.length, log: log.length, update: update.length, question: question.length }
}
