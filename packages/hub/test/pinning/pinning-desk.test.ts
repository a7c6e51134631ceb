import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { BrokerEvent } from '../../src/broker/events.js'
import { heldShownCharactersMax, heldShownMax } from '../../src/pinning/limits.js'
import { readPins } from '../../src/pinning/pin-file.js'
import type { HeldDefinition } from '../../src/pinning/pinning.js'
import { PinningDesk } from '../../src/pinning/pinning-desk.js'
import { acceptanceOf } from '../../src/pinning/worker-identity.js'
import { temporaryDirectory } from '../temporary.js'

const held = (letter: string, more: Partial<HeldDefinition> = {}): HeldDefinition => ({
  identity: 'service:greeter',
  service: 'greeter',
  kind: 'tool',
  name: 'greet',
  workerKey: 'greet',
  hash: letter.repeat(64),
  listed: { name: 'greet', description: letter },
  characters: 100,
  own: false,
  ...more,
})
const wishFor = ({ identity, service, hash }: HeldDefinition) => ({ identity, service, hash })
const acceptanceFor = (...all: HeldDefinition[]) =>
  all.map(({ identity, service, hash }) => acceptanceOf(identity, service, hash))

let data: string
let offered: HeldDefinition[]
/** What the broker was told last is accepted. */
let accepted: string[]
let logged: string[]

beforeEach(async () => {
  data = await temporaryDirectory()
  offered = []
  accepted = ['not told yet']
  logged = []
})

async function desk() {
  const step = (event: BrokerEvent) => {
    if (event.type === 'pins_changed') accepted = [...(event.accepted ?? [])]
  }
  const hub = { step, broker: { held: () => offered } }
  const log = { error: (_: object, message: string) => void logged.push(message) }
  const opened = await PinningDesk.open(data, hub, log as never, () => 1_800_000_000_000)
  return (command: string, more: object = {}) => opened.command({ command, ...more }) as Promise<object>
}

const codeOf = (answer: object) => (answer as { error?: { code: string } }).error?.code

describe('the desk where operators accept definitions', () => {
  it('has no other commands', async () => {
    expect((await desk())('drain')).toBeUndefined()
  })

  it('tells the broker at once what was accepted: nothing, before the first time', async () => {
    await desk()
    expect([accepted, logged]).toEqual([[], []])
  })

  it('shows what is held beside what was accepted last of that name, and only of that', async () => {
    const ask = await desk()
    const [first, second] = [held('a', { roles: ['operator'] }), held('b')]
    offered = [first]
    expect(await ask('held_definitions')).toEqual({ held: [first], total: 1 })
    await ask('accept_definitions', { definitions: [wishFor(first)] })
    offered = [
      second,
      ...[{ identity: 'key:ada' }, { service: 'other' }, { kind: 'prompt' as const }, { name: 'wave' }].map((more) =>
        held('c', more),
      ),
    ]
    const before = { hash: first.hash, acceptedAt: 1_800_000_000_000, listed: first.listed, roles: ['operator'] }
    const [, ...others] = offered
    expect(await ask('held_definitions')).toEqual({ held: [{ ...second, accepted: before }, ...others], total: 5 })
  })

  it('shows as many as fit into an answer, one at least, and says how many there are', async () => {
    const ask = await desk()
    const shown = async () => {
      const answer = (await ask('held_definitions')) as { held: unknown[]; total: number }
      return [answer.held.length, answer.total]
    }
    offered = Array.from({ length: heldShownMax + 1 }, () => held('a'))
    expect(await shown()).toEqual([heldShownMax, heldShownMax + 1])
    const half = { characters: heldShownCharactersMax / 2 }
    offered = [held('a', half), held('b', half), held('c', half)]
    expect(await shown()).toEqual([2, 3])
    offered = [held('a', { characters: heldShownCharactersMax + 1 }), held('b')]
    expect(await shown()).toEqual([1, 2])
  })

  it('keeps what is accepted in the file before it is in force', async () => {
    const ask = await desk()
    offered = [held('a'), held('b', { name: 'wave', kind: 'prompt' })]
    expect(await ask('accept_definitions', { definitions: offered.map(wishFor) })).toEqual({ accepted: 2 })
    expect(accepted.sort()).toEqual(acceptanceFor(...offered).sort())
    expect(await readPins(data)).toMatchObject([
      { name: 'wave', kind: 'prompt', acceptedAt: 1_800_000_000_000 },
      { name: 'greet', listed: { description: 'a' } },
    ])
    accepted = []
    await desk()
    expect(accepted.sort()).toEqual(acceptanceFor(...offered).sort())
  })

  it('accepts all or nothing: what changed since it was shown is not what was meant', async () => {
    const ask = await desk()
    offered = [held('a')]
    const answer = await ask('accept_definitions', { definitions: [held('a'), held('b')].map(wishFor) })
    expect([codeOf(answer), accepted, await readPins(data)]).toEqual(['changed', [], []])
  })

  it.each([
    ['no list', 'greet'],
    ['an empty list', []],
    ['too many', Array.from({ length: heldShownMax + 1 }, () => wishFor(held('a')))],
    ['names alone', ['greet']],
    ['nothing', [null]],
    ['no hash', [{ identity: 'service:greeter', service: 'greeter' }]],
    ['a hash that is no text', [{ identity: 'service:greeter', service: 'greeter', hash: 7 }]],
  ])('accepts nothing for %s', async (_, definitions) => {
    const ask = await desk()
    offered = [held('a')]
    expect(codeOf(await ask('accept_definitions', { definitions }))).toBe('invalid_argument')
    expect(accepted).toEqual([])
  })

  it.each(['greet', 'greeter', 'service:greeter'])(
    'takes back what was accepted by name, service or worker: %s',
    async (name) => {
      const ask = await desk()
      offered = [held('a'), held('b', { identity: 'key:ada', service: 'waver', name: 'wave' })]
      await ask('accept_definitions', { definitions: offered.map(wishFor) })
      const answer = (await ask('forget_accepted', { name })) as { forgotten: object[] }
      expect(answer.forgotten).toEqual([expect.objectContaining({ name: 'greet', hash: held('a').hash })])
      expect(answer.forgotten[0]).not.toHaveProperty('listed')
      expect(accepted).toEqual(acceptanceFor(offered[1]!))
      expect(await ask('accepted_definitions')).toMatchObject({ pins: [{ name: 'wave' }] })
      expect(codeOf(await ask('forget_accepted', { name }))).toBe('unknown_name')
    },
  )

  it('lists what was accepted without its text', async () => {
    const ask = await desk()
    offered = [held('a')]
    await ask('accept_definitions', { definitions: [wishFor(held('a'))] })
    const { pins } = (await ask('accepted_definitions')) as { pins: object[] }
    expect(pins).toEqual([expect.not.objectContaining({ listed: expect.anything() })])
  })

  it('does one thing after the other, so that nothing is lost of what comes at once', async () => {
    const ask = await desk()
    offered = [...'abcdef'].map((letter) => held(letter, { name: `greet-${letter}` }))
    await Promise.all(offered.map((each) => ask('accept_definitions', { definitions: [wishFor(each)] })))
    expect(accepted.sort()).toEqual(acceptanceFor(...offered).sort())
    expect(await readPins(data)).toHaveLength(6)
  })

  it('with a file that is of no use accepts nothing, says so, and reads it again at each command', async () => {
    await writeFile(join(data, 'pins.json'), '{')
    const ask = await desk()
    offered = [held('a')]
    expect([accepted, logged]).toEqual([[], ['the accepted definitions are of no use']])
    expect(codeOf(await ask('accept_definitions', { definitions: [wishFor(held('a'))] }))).toBe('pins_unusable')
    expect(codeOf(await ask('held_definitions'))).toBe('pins_unusable')
    expect(await readFile(join(data, 'pins.json'), 'utf8')).toBe('{')
    await writeFile(join(data, 'pins.json'), '{"version":1,"pins":[]}')
    expect(await ask('accept_definitions', { definitions: [wishFor(held('a'))] })).toEqual({ accepted: 1 })
  })

  it('accepts nothing that it can not keep, and goes on', async () => {
    const ask = await desk()
    const large = held('a', { listed: { description: 'x'.repeat(33 * 1024 * 1024) } })
    offered = [large, held('b')]
    const answer = await ask('accept_definitions', { definitions: [wishFor(large)] })
    expect([codeOf(answer), accepted]).toEqual(['pins_unusable', []])
    expect(await ask('accept_definitions', { definitions: [wishFor(held('b'))] })).toEqual({ accepted: 1 })
  })
})
