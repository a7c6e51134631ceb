import { expect, it, vi } from 'vitest'
import { agentsWithoutTokens, control } from '../src/control.js'

const token = 'the operator secret'
const controls = () => ({
  isOperator: (presented: string) => presented === token,
  snapshot: vi.fn(() => ({ all: 'well' })),
  statistics: vi.fn(() => ({ calls: 7 })),
  drain: vi.fn(),
  stateOf: (service: string) =>
    new Map([
      ['old', 'away'],
      ['kernel', 'ready'],
      ['leaving', 'draining'],
    ] as const).get(service as 'old'),
  forget: vi.fn(),
  pinning: vi.fn(({ command }) => (command === 'held_definitions' ? Promise.resolve({ held: [] }) : undefined)),
  down: vi.fn(),
})

it('shows the agents of the config without their tokens', () => {
  const agents = {
    ada: { token: 'the token of ada', group: 'lab', roles: ['agent'] },
    bob: { roles: ['operator'] },
  } as const
  expect(agentsWithoutTokens(agents)).toEqual({
    ada: { group: 'lab', roles: ['agent'], hasToken: true },
    bob: { roles: ['operator'], hasToken: false },
  })
})

it('snapshot, metrics and down do just that', async () => {
  const given = controls()
  expect(await control({ command: 'snapshot' }, given)).toEqual({ all: 'well' })
  expect(await control({ command: 'metrics' }, given)).toEqual({ calls: 7 })
  expect(await control({ command: 'down', token }, given)).toEqual({ ok: true })
  expect(given.down).toHaveBeenCalledOnce()
})

it.each([
  [{ service: 'kernel' }, { kind: 'service', service: 'kernel' }, 30_000],
  [{ service: 'kernel', drainMs: 0 }, { kind: 'service', service: 'kernel' }, 0],
  [{ instance: 'i-1', drainMs: 3_600_000 }, { kind: 'instance', instance: 'i-1' }, 3_600_000],
] as const)('drain %j drains', async (wish, target, drainMs) => {
  const given = controls()
  expect(await control({ command: 'drain', token, ...wish }, given)).toEqual({ ok: true })
  expect(given.drain).toHaveBeenCalledExactlyOnceWith(target, drainMs)
})

it('forget forgets a service that is away', async () => {
  const given = controls()
  expect(await control({ command: 'forget', token, service: 'old' }, given)).toEqual({ ok: true })
  expect(given.forget).toHaveBeenCalledExactlyOnceWith('old')
})

it.each([
  ['kernel', 'not_away', 'Workers of kernel are signed in: end them first, or use "callboard drain kernel".'],
  ['leaving', 'not_away', 'Workers of leaving are signed in: end them first, or use "callboard drain leaving".'],
  ['odl', 'unknown_service', 'There is no service odl.'],
])('%s is not forgotten: %s', async (service, code, message) => {
  const given = controls()
  expect(await control({ command: 'forget', token, service }, given)).toEqual({ error: { code, message } })
  expect(given.forget).not.toHaveBeenCalled()
})

it.each([
  {},
  { command: 'reboot' },
  { command: 'drain' },
  { command: 'drain', service: 7 },
  { command: 'forget' },
  { command: 'forget', service: ['old'] },
  { command: 'drain', service: 'kernel', drainMs: -1 },
  { command: 'drain', service: 'kernel', drainMs: 1.5 },
  { command: 'drain', service: 'kernel', drainMs: '5' },
  { command: 'drain', service: 'kernel', drainMs: 3_600_001 },
])('%j is refused, and nothing happens', async (command) => {
  const given = controls()
  expect(await control({ ...command, token }, given)).toMatchObject({ error: { code: 'invalid_argument' } })
  expect(given.drain).not.toHaveBeenCalled()
  expect(given.forget).not.toHaveBeenCalled()
  expect(given.down).not.toHaveBeenCalled()
})

it.each([{}, { token: 'guessed' }, { token: 7 }])(
  'without the operator secret (%j) one may look, and end nothing',
  async (more) => {
    const given = controls()
    for (const command of ['down', 'drain', 'forget', 'reboot']) {
      expect(await control({ command, service: 'old', ...more }, given)).toMatchObject({
        error: { code: 'forbidden' },
      })
    }
    expect(await control({ command: 'snapshot', ...more }, given)).toEqual({ all: 'well' })
    expect(given.drain).not.toHaveBeenCalled()
    expect(given.forget).not.toHaveBeenCalled()
    expect(given.down).not.toHaveBeenCalled()
  },
)
