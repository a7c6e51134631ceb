import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Notice } from '../src/broker/effects.js'
import { createHubLog } from '../src/hub-log.js'
import { logNotice } from '../src/hub-notices.js'

/** What the log says of a notice. */
function lines(notice: Notice): Record<string, unknown>[] {
  const stream = new PassThrough()
  logNotice(createHubLog('debug', stream), notice)
  return String(stream.read() ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const [info, warn] = [30, 40]
const who = { service: 'forum', instance: 'f-1' }

describe('what happens to workers is one line each in the log', () => {
  it.each<[string, Notice, number, object]>([
    ['a join', { kind: 'worker_joined', ...who, version: '1.0.0', trusted: true, refused: [] }, info, who],
    ['a leave', { kind: 'worker_left', ...who, reason: 'bye', callsLost: 0 }, info, { ...who, reason: 'bye' }],
    [
      'a loss',
      { kind: 'worker_left', ...who, reason: 'connection_lost', callsLost: 3 },
      warn,
      { ...who, reason: 'connection_lost', callsLost: 3 },
    ],
    ['silence', { kind: 'worker_suspect', ...who }, warn, who],
    [
      'an ejection',
      { kind: 'worker_ejected', ...who, why: 'it fails', forMs: 10_000 },
      warn,
      { ...who, forMs: 10_000 },
    ],
    ['its end', { kind: 'worker_restored', ...who }, info, who],
    [
      'other definitions in force',
      { kind: 'edition_in_force', service: 'forum', version: '2.0.0', former: '1.0.0' },
      info,
      { version: '2.0.0', former: '1.0.0' },
    ],
    [
      'a burst of refusals',
      { kind: 'calls_shed', service: 'forum', reason: 'queue_full', count: 1, principals: ['agent:main'] },
      warn,
      { service: 'forum', reason: 'queue_full', count: 1, principals: ['agent:main'] },
    ],
  ])('%s', (_, notice, level, fields) => {
    expect(lines(notice)).toEqual([expect.objectContaining({ level, ...fields })])
  })
})
