import type { FromHub, FromWorker, Request } from '@callboard/protocol'
import { BrokerRunner, type RunnerOutlets } from '../src/broker-runner.js'

export const epoch = 'hubepoch01'
export const json = (value: unknown) => Buffer.from(JSON.stringify(value))

/** A runner whose one worker is played by hand, with vitest's clock. Its catalogue is known, or will be with `known`. */
export function running(outlets: Partial<RunnerOutlets> = {}, known?: Promise<void>) {
  let unknown = known?.then(() => {
    unknown = undefined
  })
  const sent: FromHub[] = []
  const notices: string[] = []
  const runner = new BrokerRunner(
    {
      epoch,
      signInSecret: undefined,
      reservedServices: [],
      random: (count) => new Uint8Array(count),
      namespace: 'never',
      inspect: () => undefined,
    },
    {
      send: (_, message) => void sent.push(message),
      keepCatalogue: () => undefined,
      notice: ({ kind }) => void notices.push(kind),
      workerLog: () => undefined,
      failed: (error) => {
        throw error
      },
      now: () => Date.now(),
      ...outlets,
    },
    () => unknown,
  )
  const from = (message: FromWorker) => runner.step({ type: 'message', peer: 'w', message })
  const signIn = () => {
    from({ type: 'hello', versions: [1, 1] })
    from({
      type: 'ready',
      epoch,
      service: 'greeter',
      version: '1',
      instance: 'i',
      workerEpoch: 1,
      concurrency: 9,
      heartbeatMs: 60_000,
      replicas: 'many',
      affinity: 'none',
      held: [],
      body: json({ tools: [{ name: 'greet', inputSchema: { type: 'object' } }] }),
    })
  }
  const request = (): Request => sent.find((message) => message.type === 'request') as Request
  const respond = (value: unknown = 'done') =>
    from({ type: 'response', id: request().id, outcome: 'result', body: json(value) })
  return { runner, sent, notices, from, signIn, request, respond }
}
