import { describe, expect, it } from 'vitest'
import { type KernelConfigError, parseKernelConfig } from '../src/config.js'

const problemsOf = (section: unknown): readonly string[] => {
  try {
    parseKernelConfig(section)
    return []
  } catch (error) {
    return (error as KernelConfigError).problems
  }
}

describe('the configuration of the sandbox', () => {
  it('is a sandbox where there can be one, without network, when nothing is said', () => {
    const { sandbox, limits } = parseKernelConfig(undefined)
    expect(sandbox).toEqual({ mode: 'auto', network: false, readable: [], writable: [] })
    expect(limits).toMatchObject({ processes: 256, niceness: 5 })
  })

  it('takes paths, as the system would write them', () => {
    const sandboxPaths = { readable: ['/data//sets/', '/a/../b'], writable: ['/results'] }
    expect(parseKernelConfig({ sandboxPaths }).sandbox).toMatchObject({
      readable: ['/data/sets/', '/b'],
      writable: ['/results'],
    })
  })

  it.each<[object, RegExp]>([
    [{ sandbox: 'yes' }, /^kernel\.sandbox: must be one of auto, required, off$/],
    [{ sandbox: true }, /^kernel\.sandbox: must be one of auto, required, off$/],
    [{ sandboxNetwork: 'on' }, /^kernel\.sandboxNetwork: must be true or false$/],
    [{ sandboxPaths: ['/data'] }, /^kernel\.sandboxPaths: must be an object$/],
    [{ sandboxPaths: { readable: 'data' } }, /^kernel\.sandboxPaths\.readable: must be a list$/],
    [{ sandboxPaths: { readable: ['data'] } }, /^kernel\.sandboxPaths\.readable\.0: must be an absolute path$/],
    [{ sandboxPaths: { readable: ['~/data'] } }, /^kernel\.sandboxPaths\.readable\.0: must be an absolute path$/],
    [
      { sandboxPaths: { writable: ['/a/..'] } },
      /^kernel\.sandboxPaths\.writable: must not make the whole system writable$/,
    ],
    [{ sandboxPaths: { hidden: [] } }, /^kernel\.sandboxPaths: unknown key hidden; there are readable, writable$/],
    [
      { sandboxPaths: { readable: Array(65).fill('/a') } },
      /^kernel\.sandboxPaths\.readable: must have at most 64 entries$/,
    ],
    [{ maxProcesses: 1 }, /^kernel\.maxProcesses: must be at least 8$/],
    [{ niceness: -1 }, /^kernel\.niceness: must be at least 0$/],
    [{ niceness: 20 }, /^kernel\.niceness: must be at most 19$/],
  ])('refuses %j', (section, expected) => {
    const problems = problemsOf(section)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(expected)
  })
})
