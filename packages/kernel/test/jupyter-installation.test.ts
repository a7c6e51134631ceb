import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installationOf } from '../src/runtime/jupyter/installation.js'
import { environmentOf } from '../src/runtime/jupyter/kernelspec.js'
import { fakeSpec } from './support/jupyter.js'

let home: string
beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'callboard-installation-')))
})
afterAll(() => rm(home, { recursive: true, force: true }))

async function file(path: string, text = ''): Promise<string> {
  await mkdir(dirname(join(home, path)), { recursive: true })
  await writeFile(join(home, path), text, { mode: 0o755 })
  return join(home, path)
}

async function readableFor(argv: readonly string[], env: { readonly [name: string]: string } = {}) {
  const spec = fakeSpec({ argv, env, directory: join(home, 'spec') })
  const base = { PATH: join(home, 'path') }
  return (await installationOf(spec, environmentOf(spec, base))).readable
}

describe('what a kernel in a home needs', () => {
  it('is the folder of its kernelspec, and the files that its arguments name', async () => {
    const readable = await readableFor(['program', '/somewhere/kernel.jl', '{connection_file}', 'relative'])
    expect(readable).toEqual([join(home, 'spec'), '/somewhere/kernel.jl'])
  })

  it('is the installation around its program', async () => {
    await file('conda/lib/library.so')
    expect(await readableFor([await file('conda/bin/program')])).toContain(join(home, 'conda'))
  })

  it('is not what lies beside a program that is no installation', async () => {
    await file('.cargo/credentials.toml')
    const readable = await readableFor([await file('.cargo/bin/program')])
    expect(readable).toContain(join(home, '.cargo', 'bin'))
    expect(readable).not.toContain(join(home, '.cargo'))
  })

  it('is of somebody’s ~/.local the programs and libraries only', async () => {
    await file('.local/lib/library.so')
    await file('.local/share/keyrings/secret')
    const readable = await readableFor([await file('.local/bin/program')])
    expect(readable).toEqual(expect.arrayContaining([join(home, '.local', 'bin'), join(home, '.local', 'lib')]))
    expect(readable).not.toContain(join(home, '.local'))
  })

  it('is on PATH, behind links, and named in the first line of a script', async () => {
    await file('opt/lib/library.so')
    await file('interpreter/lib/library.so')
    const interpreter = await file('interpreter/bin/run')
    const script = await file('opt/bin/script', `#!${interpreter} -x\n`)
    await mkdir(join(home, 'path'), { recursive: true })
    await symlink(script, join(home, 'path', 'linked'))
    expect(await readableFor(['linked'])).toEqual(
      expect.arrayContaining([join(home, 'path'), join(home, 'opt'), join(home, 'interpreter')]),
    )
  })

  it('is named by the spec’s own variables, and not by others', async () => {
    expect(await readableFor(['program'], { LIBRARIES: '/one:relative:/two', MODE: 'fast' })).toEqual([
      join(home, 'spec'),
      '/one',
      '/two',
    ])
  })

  it('is told by a python itself, wherever its name leads', async () => {
    const shim = await file('shims/python3', '#!/bin/sh\nexec /usr/bin/env PATH=/usr/bin:/bin python3 "$@"\n')
    const spec = fakeSpec({ argv: [shim, '-m', 'something'] })
    const { program } = await installationOf(spec, { PATH: '/usr/bin:/bin' })
    expect(program).not.toBe(shim)
    expect(program).toMatch(/python[\d.]*$/)
  })

  it('may be absent: then the start says why', async () => {
    const program = join(home, 'absent', 'bin', 'python3')
    const installation = await installationOf(fakeSpec({ argv: [program] }), { PATH: '' })
    expect(installation.program).toBe(program)
  })
})
