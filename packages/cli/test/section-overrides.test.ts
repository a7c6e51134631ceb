import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sectionOverrides } from '../src/section-overrides.js'
import { Installation } from './support/installation.js'

const keysOf = async () => ['memoryMiB', 'sandboxNetwork', 'sandboxPaths', 'python']
const read = (variables: Record<string, string>) => sectionOverrides(variables, [{ name: 'kernel', keys: keysOf }])

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

  it.each([
    ['12345678901234567890123456789012', '12345678901234567890123456789012'],
    ['0123', '0123'],
    ['1e5', '1e5'],
    ['1.0', '1.0'],
    ['-7', -7],
    ['0.5', 0.5],
    ['"7"', '7'],
  ])('a number is one only as JSON writes it: %s', async (value, expected) => {
    expect((await read({ CALLBOARD_KERNEL__PYTHON: value })).sections).toEqual({ kernel: { python: expected } })
  })

  it('need no prefix where the worker takes bare names, and with it they win', async () => {
    const scheduler = {
      name: 'scheduler',
      keys: async () => ['smtp_url', 'imap_url', 'lease_ms'],
      takesBareNames: true,
    }
    const { sections, variables } = await sectionOverrides(
      {
        SMTP_URL: 'smtp://bare',
        IMAP_URL: 'imap://bare',
        CALLBOARD_SCHEDULER__IMAP_URL: 'imap://prefixed',
        LEASE_MS: '5000',
        smtp_url: 'smtp://small',
        SMTP_URLS: 'smtp://other',
      },
      [scheduler],
    )
    expect(sections).toEqual({
      scheduler: { smtp_url: 'smtp://bare', imap_url: 'imap://prefixed', lease_ms: 5_000 },
    })
    expect(Object.fromEntries(variables)).toEqual({
      'scheduler.smtp_url': 'SMTP_URL',
      'scheduler.imap_url': 'CALLBOARD_SCHEDULER__IMAP_URL',
      'scheduler.lease_ms': 'LEASE_MS',
    })
    expect((await sectionOverrides({ SMTP_URL: '', IMAP_URL: '' }, [scheduler])).sections).toEqual({})
    expect((await sectionOverrides({ PYTHON: 'x' }, [{ name: 'kernel', keys: keysOf }])).sections).toEqual({})
  })

  it('of bare names are named where they are wrong', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: 'scheduler' })
    const wrong = await installation.run(['up'], { SMTP_URL: 'http://x', LEASE_MS: 'long' })
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('SMTP_URL: scheduler.smtp_url: must be a URL that begins with smtp:// or smtps://')
    expect(wrong.stderr).toContain('LEASE_MS: scheduler.lease_ms: ')
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
