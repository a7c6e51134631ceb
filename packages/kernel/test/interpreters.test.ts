import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findPython, startPython } from './support/python.js'

/** Every version that the harness promises to run on; those that this machine has not are skipped. */
const versions = ['3.9', '3.10', '3.11', '3.12', '3.13']

const harness = fileURLToPath(new URL('../python/', import.meta.url))

describe.each(versions)('on Python %s', (version) => {
  const path = findPython(version)

  it.skipIf(path === undefined)(
    `every file of the harness can be imported${path ? '' : ' (skipped: it is not here)'}`,
    () => {
      const files = readdirSync(harness, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))
      const modules = files.filter((name) => name.endsWith('.py')).map((name) => name.slice(0, -3).replaceAll('/', '.'))
      expect(modules.length).toBeGreaterThan(20)
      execFileSync(path!, ['-W', 'error', '-c', `import ${modules.join(', ')}`], { cwd: harness, stdio: 'pipe' })
    },
  )

  it.skipIf(path === undefined)(
    `runs cells, shows values and answers about names${path ? '' : ` (skipped: no python${version} on PATH or under PYENV_ROOT)`}`,
    async () => {
      await using python = await startPython(path)
      expect(python.runtime.description).toContain(`python3 ${version}.`)
      expect(await python.run('x = 5\nx * 2')).toMatchObject({ result: '10', names: { added: ['x'] } })
      expect(await python.run('import asyncio\nawait asyncio.sleep(0, 7)')).toMatchObject({ result: '7' })
      expect(await python.run('x\n[y := 3]\ny', 'all')).toMatchObject({ result: '5\n[3]\n3' })
      await python.run('import contextvars\nv = contextvars.ContextVar("v")\nv.set(1)\nNone')
      expect(await python.run('await asyncio.sleep(0)\nold = v.get(); v.set(2); old')).toMatchObject({ result: '1' })
      expect(await python.run('v.get()')).toMatchObject({ result: '2' })
      expect((await python.run('def broken(): return {}["key"]\nbroken()')).error).toMatch(/^Traceback[\s\S]*KeyError/)
      await python.run(
        'class Page:\n    """A page."""\n    def _repr_html_(self):\n        return "<b>1</b>"\npage = Page()\npage',
      )
      expect(python.shown).toEqual([{ run: 8, data: { 'text/html': '<b>1</b>' } }])
      expect(await python.ask('variables', { limit: 10 })).toMatchObject({
        total: 9,
        variables: [{ name: 'Page' }, { name: 'page', preview: '<Page>', run_id: 8 }, {}, {}, {}, {}, {}, {}, {}],
      })
      expect(await python.ask('inspect', { name: 'Page', with_source: true })).toMatchObject({
        kind: 'class',
        doc: 'A page.',
        source: expect.stringMatching(/^class Page:\n[\s\S]*<\/b>"\n$/),
      })
      expect(await python.ask('inspect', { name: 'asyncio.sleep', with_source: true })).toMatchObject({
        signature: expect.stringMatching(/^sleep\(delay, result=None/),
        source: expect.stringMatching(/^async def sleep/),
      })
      expect(await python.ask('complete', { code: 'asyncio.slee' })).toMatchObject({ matches: ['sleep'] })
    },
    30_000,
  )
})
