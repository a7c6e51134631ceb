import { describe, expect, it } from 'vitest'
import { parseKernelConfig } from '../src/config.js'
import { docs } from '../src/tools/docs-method.js'
import { type HelpSource, helpText, unknownTopic } from '../src/tools/help.js'
import { PythonApiReader } from '../src/tools/python-api.js'

const source: HelpSource = { tools: [], config: parseKernelConfig({}), python: undefined }

describe('help', () => {
  it('says so where no Python can tell what the module offers, and tries again later', async () => {
    const reader = new PythonApiReader('python-that-is-not-there')
    expect(await reader.read()).toBeUndefined()
    expect(await reader.read()).toBeUndefined()
    expect(helpText('api', source)).toMatch(/cannot be listed: no Python \(CPython 3\.9 or newer\)/)
    expect(helpText('scheduler', source)).toMatch(/Triggers:/)
    expect(helpText('on_beat', source)).toBeUndefined()
    expect(unknownTopic('on_beat', source)).toMatch(/Topics: overview, api, session, scheduler, examples; tools: \.$/)
  })

  it('asks Python once', async () => {
    const reader = new PythonApiReader('python3')
    expect(reader.read()).toBe(reader.read())
    const python = await reader.read()
    expect(python?.about).toMatch(/^Sessions, a clock in beats/)
  })

  it('states the isolation in force', () => {
    expect(helpText('overview', { ...source, isolation: 'a sandbox without network' })).toMatch(
      /- isolation: a sandbox without network$/,
    )
    expect(helpText('overview', source)).not.toMatch(/isolation:/)
  })

  it('answers docs of the Python module with the same text', () => {
    expect(docs({}, source)).toBe(helpText('overview', source))
    expect(docs({ topic: 'scheduler' }, source)).toBe(helpText('scheduler', source))
    expect(() => docs({ topic: 'shceduler' }, source)).toThrow(
      expect.objectContaining({ kind: 'NotFoundError', message: expect.stringMatching(/did you mean scheduler/) }),
    )
  })

  it('shortens what it could not find', () => {
    expect(unknownTopic('x'.repeat(1_000), source).length).toBeLessThan(300)
  })
})
