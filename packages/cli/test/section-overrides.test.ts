import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sectionOverrides } from '../src/section-overrides.js'
import { Installation } from './support/installation.js'

const keysOf = async () => ['memoryMiB', 'sandboxNetwork', 'sandboxPaths', 'python']
const read = (variables: Record<string, string>) => sectionOverrides(variables, ['kernel'], keysOf)

describe('variables that override the section of a worker', () => {
  it.each([
    ['CALLBOARD_KERNEL__MEMORY_MIB', '1024', { memoryMiB: 1024 }],
    ['CALLBOARD_KERNEL__memoryMiB', '1024', { memoryMiB: 1024 }],
    ['CALLBOARD_KERNEL__SANDBOX_NETWORK', 'true', { sandboxNetwork: true }],
    ['CALLBOARD_KERNEL__SANDBOXPATHS', '{"readable": ["/data"]}', { sandboxPaths: { readable: ['/data'] } }],
    ['CALLBOARD_KERNEL__PYTHON', '/usr/bin/python3', { python: '/usr/bin/python3' }],
    ['CALLBOARD_KERNEL__COLOUR', 'red', { COLOUR: 'red' }],
  ])('%s=%s', async (variable, value, section) => {
    const { sections, variables } = await read({ [variable]: value })
    expect(sections).toEqual({ kernel: section })
    expect([...variables.values()]).toEqual([variable])
  })

  it('are none of other programs, and none when empty', async () => {
    expect((await read({ CALLBOARD_KERNEL: '1', CALLBOARD_KERNEL__PYTHON: '', KERNEL__PYTHON: 'x' })).sections).toEqual(
      {},
    )
  })

  it('win over the file, and are named where they are wrong', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: 'kernel' })
    mkdirSync(installation.data, { mode: 0o700 })
    writeFileSync(
      join(installation.data, 'callboard.config.json'),
      '{"kernel": {"maxKernels": "many", "openFiles": 1}}',
    )
    const wrong = await installation.run(['up'], {
      CALLBOARD_KERNEL__MAX_KERNELS: '0',
      CALLBOARD_KERNEL__COLOUR: 'red',
    })
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('CALLBOARD_KERNEL__MAX_KERNELS: kernel.maxKernels: must be at least 1.')
    expect(wrong.stderr).toMatch(/callboard\.config\.json: kernel\.openFiles: must be at least 64\./)
    expect(wrong.stderr).toMatch(/unknown key COLOUR/)
  })
})
