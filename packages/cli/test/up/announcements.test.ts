import type { BrokerSnapshot, HubConfig } from '@callboard/hub'
import { expect, it } from 'vitest'
import { describeExit, describeHub, describeReady, describeRefusals } from '../../src/up/announcements.js'

const snapshot = {
  workers: [
    { service: 'kernel', refused: [{ name: 'bad\nname', message: 'a name has no line ends' }] },
    { service: 'other', refused: [{ name: 'x', message: 'y' }] },
  ],
  services: [{ service: 'kernel', version: '1', tools: ['weave_eval'], isServed: true }],
} as unknown as BrokerSnapshot

it('says what is ready, and warns of what was refused', () => {
  expect(describeReady(snapshot, 'kernel')).toBe('  kernel    ready: weave_eval')
  expect(describeRefusals(snapshot, 'kernel')).toEqual([
    'callboard: warning: bad\\u000aname of kernel was refused: a name has no line ends',
  ])
})

const config = {
  runtimeDirectory: '/run',
  dataDirectory: '/data',
  httpOpen: ['qda'],
  namespace: 'never',
} as unknown as HubConfig
const hub = { httpAddresses: [{ host: '127.0.0.1', port: 8765 }], httpProblem: undefined, keyedEndpoints: [] }

it.each([
  [['qda'], ['kernel', 'qda'], ': qda'],
  [['qda'], ['kernel'], ' nothing'],
  [['qda', 'forum', 'greeter'], ['kernel', 'forum'], ': forum, greeter'],
  [['*'], ['kernel'], ' everything'],
  [[], ['kernel'], ' nothing'],
])('says what HTTP offers without a token: %j of %j', (httpOpen, workers, offer) => {
  const expected = `  http      http://127.0.0.1:8765/mcp (agents need a token; without one it offers${offer})`
  expect(describeHub(hub, { ...config, httpOpen }, workers).split('\n')).toContain(expected)
})

it('tries a tool that is there, by the name that agents see', () => {
  const tried = (namespace: HubConfig['namespace'], workers: readonly string[]) =>
    describeHub(hub, { ...config, namespace }, workers)
      .split('\n')
      .find((line) => line.startsWith('  try'))
  expect(tried('never', ['kernel'])).toContain("npx callboard call weave_eval code='1 + 1'")
  expect(tried('always', ['kernel'])).toContain("npx callboard call kernel_weave_eval code='1 + 1'")
  expect(tried('never', ['forum'])).toBe('  try       npx callboard ls')
})

const ended = { worker: 'forum', how: 'exit code 1', code: 1, complaint: 'no\x1b luck', restartInMs: 1_540 } as const

it('says of each end when the worker starts again, and of a crash loop once that there is one', () => {
  expect(describeExit({ ...ended, crashLoop: 'none' })).toBe(
    'callboard: the worker forum ended (exit code 1); it starts again in 1.5 s.',
  )
  expect(describeExit({ ...ended, crashLoop: 'begins' })).toBe(
    'callboard: the worker forum is crash-looping (exit code 1); it is tried again at growing intervals, up to 30 s, and ' +
      'the others go on. Last it said: no\\u001b luck',
  )
  expect(describeExit({ ...ended, crashLoop: 'goes_on' })).toBe(undefined)
})

it('says where workers of other machines come in', () => {
  const keyedEndpoints = ['tcp://192.0.2.1:8766']
  expect(describeHub({ ...hub, keyedEndpoints }, config, []).split('\n')).toContain(
    '  by key    workers on other machines: tcp://192.0.2.1:8766',
  )
  expect(describeHub(hub, config, [])).not.toContain('by key')
})
