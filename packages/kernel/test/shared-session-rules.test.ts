import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RuleView, SessionInfo } from '../src/session/module-api.js'
import { Stage, type StagePort } from './support/session-stage.js'

let stage: Stage
let ann: StagePort
let bob: StagePort
let shared: string

beforeEach(async () => {
  stage = await Stage.open()
  ann = await stage.kernel('k1', 'agent:ann')
  bob = await stage.kernel('k1', 'agent:bob')
  const session = (await stage.ask(ann, 'session', { name: 'jam', shared: true })) as SessionInfo
  shared = session.id
})
afterEach(() => stage[Symbol.asyncDispose]())

const every = (action: string, name: string) => ({ trigger: 'every:1s', action, name })
const free = () => stage.ask(ann, 'session', { name: 'elsewhere' })
const codesOf = (port: StagePort) => port.fires.map(({ code }) => code)

it.each(['eval:open("mine")', 'tool:files__delete {}'])(
  "code of whoever borrows a session never comes into its owner's kernel: %s",
  async (action) => {
    await free()
    await stage.ask(bob, 'session', { load: shared })
    await expect(stage.ask(bob, 'rule', every(action, 'evil'))).rejects.toMatchObject({ kind: 'UnavailableError' })
    await stage.ask(bob, 'rule', every('emit:tick', 'data'))
    await stage.ask(bob, 'session', { name: 'home' })
    await stage.ask(ann, 'session', { load: shared })
    stage.time.advance(3)
    expect(codesOf(ann)).toEqual([])
    expect(await stage.ask(ann, 'rules')).toMatchObject([{ name: 'data', fired_count: 3 }])
  },
)

it("code of a session's owner does not run in the kernel of whoever borrows it, and runs again with the owner", async () => {
  await stage.ask(ann, 'rule', every('eval:own()', 'code'))
  await free()
  await stage.ask(bob, 'session', { load: shared })
  stage.time.advance(2)
  expect(bob.fires).toEqual([])
  const [rule] = (await stage.ask(bob, 'rules')) as RuleView[]
  expect(rule).toMatchObject({ name: 'code', status: 'unbound' })
  for (const [method, params] of [
    ['fire_rule', { id: rule!.id }],
    ['set_rule', { id: rule!.id, enabled: true }],
  ] as const) {
    await expect(stage.ask(bob, method, params)).rejects.toMatchObject({ kind: 'UnavailableError' })
  }
  await stage.ask(bob, 'session', { name: 'home' })
  await stage.ask(ann, 'session', { load: shared })
  stage.time.advance(1)
  expect(codesOf(ann)).toContain('own()')
  expect(bob.fires).toEqual([])
})
