// npm run bench:scheduler: what a round of the engine costs beside 100,000 tasks, of which one falls due each millisecond.
import { afterAll, bench, describe } from 'vitest'
import { fireDueTasks } from '../src/engine/fire-tasks.js'
import { type EngineRig, openEngineRig, settle, taskRow } from '../test/support/engine-rig.js'

const tasks = 100_000
const rig = await openEngineRig({ durability: 'full' })
const { clock } = rig.foundation
const anchor = clock.now()
await fill(rig)
const options = { time: 0, iterations: 300, warmupTime: 0, warmupIterations: 20 }

afterAll(() => rig[Symbol.asyncDispose]())

describe(`beside ${tasks} tasks`, () => {
  bench('a round without work', async () => void (await rig.engine.tick()), options)

  bench(
    'one task due: its slot is stored',
    async () => {
      clock.advance(1)
      await fireDueTasks(rig.parts)
    },
    options,
  )

  bench(
    'fifty due, a whole claim: their slots are stored',
    async () => {
      clock.advance(50)
      await fireDueTasks(rig.parts)
    },
    { ...options, iterations: 50 },
  )

  bench(
    'one task due: stored, claimed, run, settled',
    async () => {
      clock.advance(1)
      await rig.engine.tick()
      while (rig.engine.running > 0) await settle()
    },
    options,
  )
})

async function fill({ foundation, runner }: EngineRig): Promise<void> {
  runner.answer = () => ({ text: 'ok' })
  for (let first = 0; first < tasks; first += 500) {
    await foundation.store.transaction(async (db) => {
      for (let index = first; index < first + 500; index += 1) {
        const schedule = { type: 'interval', everyMs: tasks, anchor: anchor - index, timeZone: 'UTC' } as const
        await db
          .insertInto('tasks')
          .values(taskRow(foundation, { schedule, overlap: 'allow' }))
          .execute()
      }
    })
  }
}
