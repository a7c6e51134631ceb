import { afterAll, beforeAll, expect, it } from 'vitest'
import { evaluate, openPool, type PoolFixture, submit } from './support/fixture.js'

let house: PoolFixture
beforeAll(async () => {
  house = await openPool()
})
afterAll(() => house[Symbol.asyncDispose]())

const agents = (count: number) => Array.from({ length: count }, (_, index) => `agent ${index}`)

it('fifty agents at once have each their own names and output', async () => {
  const reports = await Promise.all(
    agents(50).map((name) => evaluate(house.kernel(name), `mine = ${JSON.stringify(name)}\nprint(mine)`)),
  )
  expect(reports.map(({ stdout }) => stdout)).toEqual(agents(50).map((name) => `${name}\n`))
  const names = await Promise.all(agents(50).map((name) => evaluate(house.kernel(name), 'print(mine); mine')))
  expect(names.map(({ result, stdout }) => [result, stdout])).toEqual(
    agents(50).map((name) => [`'${name}'`, `${name}\n`]),
  )
  expect(new Set(agents(50).map((name) => house.kernel(name).runtime!.pid)).size).toBe(50)
}, 60_000)

it('the 65th kernel ends the one idle for longest; when all 64 are busy it is refused', async () => {
  await Promise.all(agents(64).map((name) => evaluate(house.kernel(name), '1')))
  await evaluate(house.kernel('agent 0'), '1')
  await evaluate(house.kernel('agent 64'), '1')
  expect(agents(65).filter((name) => !house.kernel(name).runtime)).toHaveLength(1)
  expect(house.kernel('agent 0').state).toBe('idle')

  const living = agents(65).filter((name) => house.kernel(name).runtime)
  const gone = agents(65).find((name) => !house.kernel(name).runtime)!
  const runs = await Promise.all(living.map((name) => submit(house.kernel(name), 'import time; time.sleep(600)')))
  expect(await evaluate(house.kernel(gone), '1')).toMatchObject({
    status: 'refused',
    failure: { code: 'overloaded', retryable: true, retryAfterMs: expect.any(Number) },
    notices: [expect.stringMatching(/idle for longest/)],
  })
  await house.kernel(living[0]!).interrupt(runs[0]!, false)
  expect((await evaluate(house.kernel(gone), '1')).status).toBe('ok')
}, 60_000)
