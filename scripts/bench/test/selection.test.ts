import { describe, expect, it } from 'vitest'
import { help, parseOptions } from '../bench-options.js'
import { partNames, select } from '../selection.js'

const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name)

describe('--only', () => {
  it('runs everything when it is not there', () => {
    const { scenarios, subjects, others } = select([])
    expect(scenarios).toHaveLength(9)
    expect(namesOf(subjects)).toEqual(expect.arrayContaining(['hub-checked', 'socket-keys-policy']))
    expect(others).toEqual(['start', 'idle'])
  })

  it('takes all subjects of the scenarios that it names', () => {
    const { scenarios, subjects, others } = select(['http-32'])
    expect(namesOf(scenarios)).toEqual(['http-32'])
    expect(namesOf(subjects)).toEqual(expect.arrayContaining(['node-http', 'mcp-hub', 'http']))
    expect(namesOf(subjects)).not.toContain('direct')
    expect(others).toEqual([])
  })

  it('takes only the subjects that it names', () => {
    const { scenarios, subjects } = select(['latency', 'direct', 'hub', 'node-http'])
    expect(namesOf(scenarios)).toEqual(['latency'])
    expect(namesOf(subjects)).toEqual(['direct', 'hub'])
  })

  it('knows what guards a hub, on the socket only', () => {
    const guarded = ['socket-keys-policy', 'socket-keys', 'socket-policy', 'socket-audit']
    expect(namesOf(select(['throughput-128', 'socket', ...guarded]).subjects)).toEqual(['socket', ...guarded])
    expect(partNames.filter((name) => /-(keys|policy|audit)/.test(name))).toEqual(guarded)
    expect(guarded.filter((name) => !help.includes(name))).toEqual([])
  })

  it('starts no subject for what needs none', () => {
    expect(select(['idle'])).toEqual({ scenarios: [], subjects: [], others: ['idle'] })
  })
})

describe('parseOptions', () => {
  it('has a use for each word', () => {
    const words = ['--only', 'hub,direct', '--only', 'latency', '--rounds', '3', '--no-pin', '--json', 'out.json']
    expect(parseOptions(words, partNames)).toEqual({
      only: ['hub', 'direct', 'latency'],
      rounds: 3,
      quick: false,
      pin: false,
      lenient: false,
      json: 'out.json',
    })
    expect(parseOptions(['--help'], partNames)).toBeUndefined()
  })

  it.each([
    [['--only', 'latancy'], /there is no latancy/],
    [['--rounds', '0'], /from 1 to/],
    [['--rounds', 'many'], /from 1 to/],
    [['--fast'], /--fast/],
  ])('refuses %j', (words, why) => {
    expect(() => parseOptions(words, partNames)).toThrow(why)
  })
})
