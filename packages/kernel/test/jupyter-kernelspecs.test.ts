import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kernelspecBytesMax } from '../src/limits.js'
import { jupyterPlaces } from '../src/runtime/child-environment.js'
import { commandOf, environmentOf, type Kernelspec, parseKernelspec } from '../src/runtime/jupyter/kernelspec.js'
import {
  chooseKernelspec,
  findKernelspecs,
  kernelspecDirectories,
  runtimeNameOf,
} from '../src/runtime/jupyter/kernelspecs.js'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-kernelspecs-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

async function install(kernels: string, name: string, spec: unknown): Promise<string> {
  await mkdir(join(directory, kernels, name), { recursive: true })
  await writeFile(join(directory, kernels, name, 'kernel.json'), typeof spec === 'string' ? spec : JSON.stringify(spec))
  return join(directory, kernels)
}

const nowhere = { home: '/nowhere', platform: 'linux', jupyterPath: [], prefixes: [] } as const
const find = (...directories: string[]) => findKernelspecs({ directories, places: nowhere })
const lua = { argv: ['lua', '{connection_file}'], display_name: 'Lua', language: 'lua' }

describe('kernelspecs', () => {
  it('are looked for where Jupyter looks, the closest first', () => {
    const environment = {
      HOME: '/home/ada',
      JUPYTER_PATH: '/one:/two',
      VIRTUAL_ENV: '/venv',
      CONDA_PREFIX: '/conda',
    }
    const places = { ...jupyterPlaces(environment), platform: 'linux' as const }
    expect(kernelspecDirectories({ directories: ['/configured'], python: '/opt/py/bin/python3', places })).toEqual([
      '/configured',
      '/one/kernels',
      '/two/kernels',
      '/venv/share/jupyter/kernels',
      '/conda/share/jupyter/kernels',
      '/opt/py/share/jupyter/kernels',
      '/home/ada/.local/share/jupyter/kernels',
      '/usr/local/share/jupyter/kernels',
      '/usr/share/jupyter/kernels',
    ])
    const userDirectory = (more: object) => kernelspecDirectories({ places: { ...nowhere, ...more } })[0]
    expect(userDirectory({ platform: 'darwin' })).toBe('/nowhere/Library/Jupyter/kernels')
    expect(userDirectory({ xdgDataHome: '/xdg' })).toBe('/xdg/jupyter/kernels')
    expect(userDirectory({ jupyterDataDir: '/data' })).toBe('/data/kernels')
  })

  it('are read with what may be left out, and the first of a name wins', async () => {
    const first = await install('first', 'Lua-5.4', lua)
    const second = await install('second', 'lua-5.4', { ...lua, display_name: 'other' })
    await install('second', 'bash', { argv: ['bash'], interrupt_mode: 'message', env: { A: 'b' }, metadata: { x: 1 } })
    const { usable } = await find(first, second)
    expect(usable.filter(({ directory: at }) => at.startsWith(directory))).toEqual([
      expect.objectContaining({ name: 'bash', displayName: 'bash', interruptMode: 'message', env: { A: 'b' } }),
      expect.objectContaining({ name: 'lua-5.4', displayName: 'Lua', interruptMode: 'signal', env: {} }),
    ])
  })

  it.each([
    ['no JSON', '{', /^kernel\.json is not JSON/],
    ['no object', '[]', /kernel\.json: the file: /],
    ['no argv', { language: 'x' }, /argv/],
    ['an empty argv', { argv: [] }, /argv: must name a program/],
    ['an empty program', { argv: [''] }, /argv: must name a program/],
    ['an argument with a null character', { argv: ['a', 'b\0'] }, /null character/],
    ['an unknown way to interrupt', { argv: ['a'], interrupt_mode: 'shout' }, /interrupt_mode/],
    ['an env that is no text', { argv: ['a'], env: { A: 1 } }, /env\.A/],
    ['a size beyond the limit', `${' '.repeat(kernelspecBytesMax)}{}`, /at most 64 KiB/],
  ])('with %s are listed as broken, and why', async (what, spec, reason) => {
    const kernels = await install(`broken ${what}`, 'odd', spec)
    const { usable, broken } = await find(kernels)
    expect(usable.some(({ name }) => name === 'odd')).toBe(false)
    expect(broken.find(({ name }) => name === 'odd')?.reason).toMatch(reason)
  })

  it('are no stray files, no odd names and no directories without the file', async () => {
    const kernels = await install('stray', 'spaces and:colons', lua)
    await writeFile(join(kernels, 'file'), '')
    await mkdir(join(kernels, 'empty'))
    const { usable, broken } = await find(kernels, join(directory, 'not there'))
    expect([...usable, ...broken].filter(({ directory: at }) => at.startsWith(kernels))).toEqual([])
  })

  it('that are a FIFO do not hold anybody up', async () => {
    await mkdir(join(directory, 'fifo', 'odd'), { recursive: true })
    execFileSync('mkfifo', [join(directory, 'fifo', 'odd', 'kernel.json')])
    expect((await find(join(directory, 'fifo'))).broken).toContainEqual(expect.objectContaining({ name: 'odd' }))
  })
})

describe('a runtime', () => {
  const spec = (name: string) => parseKernelspec(name, `/kernels/${name}`, JSON.stringify(lua)) as Kernelspec
  const specs = {
    usable: [spec('ir'), spec('python3')],
    broken: [{ name: 'julia', directory: '/kernels/julia', reason: 'kernel.json is not JSON.' }],
  }

  it('is a kernelspec by its name, in any case', () => {
    expect(chooseKernelspec('IR', specs)?.name).toBe('ir')
    expect(chooseKernelspec('jupyter:ir', specs)?.name).toBe('ir')
  })

  it('named python3 is the built-in one; the kernelspec of that name has a prefix', () => {
    expect(chooseKernelspec('python3', specs)).toBeUndefined()
    expect(chooseKernelspec('jupyter:python3', specs)?.name).toBe('python3')
    expect(specs.usable.map(runtimeNameOf)).toEqual(['ir', 'jupyter:python3'])
  })

  it('that is unknown is not found; all that are installed are named, and the nearest', () => {
    expect(() => chooseKernelspec('pyton3', specs)).toThrow(
      expect.objectContaining({
        code: 'not_found',
        message: 'There is no runtime "pyton3" (did you mean python3?). Installed: python3, ir, jupyter:python3.',
      }),
    )
  })

  it('that is broken is not found, and why', () => {
    expect(() => chooseKernelspec('julia', specs)).toThrow(
      expect.objectContaining({
        code: 'not_found',
        message: expect.stringMatching(/broken: kernel\.json is not JSON/),
      }),
    )
  })
})

describe('the command of a kernelspec', () => {
  const variable = (name: string) => `$\{${name}}`

  it('has the connection file and the directory of the spec filled in, and nothing else', () => {
    const spec = parseKernelspec(
      'x',
      '/kernels/x',
      JSON.stringify({ argv: ['a', '-f={connection_file}', '{resource_dir}/b', '{other} {} {constructor}'] }),
    ) as Kernelspec
    expect(commandOf(spec, '/tmp/c.json')).toEqual(['a', '-f=/tmp/c.json', '/kernels/x/b', '{other} {} {constructor}'])
  })

  it('sees the environment of a kernel with the spec’s own variables, which may refer to it', () => {
    const text = JSON.stringify({
      argv: ['a'],
      env: { PATH: `/x:${variable('PATH')}`, SECRET: variable('TOKEN'), HOME: '/y' },
    })
    const spec = parseKernelspec('x', '/kernels/x', text) as Kernelspec
    expect(environmentOf(spec, { PATH: '/bin', HOME: '/z', LANG: 'C' })).toEqual({
      PATH: '/x:/bin',
      HOME: '/y',
      LANG: 'C',
      SECRET: variable('TOKEN'),
    })
  })
})
