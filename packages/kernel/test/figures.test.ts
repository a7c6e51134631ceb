import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { imageTypeOf } from '../src/output/rich-content.js'
import { canImport, findPython, type PythonFixture, startPython } from './support/python.js'

const path = [
  '/usr/bin/python3',
  ...['3.9', '3.10', '3.11', '3.12', '3.13'].flatMap((version) => findPython(version) ?? []),
].find((candidate) => canImport(candidate, 'matplotlib'))

describe.skipIf(path === undefined)(`figures${path ? '' : ' (skipped: no Python here has matplotlib)'}`, () => {
  let python: PythonFixture

  beforeAll(async () => {
    python = await startPython(path!)
  }, 30_000)
  beforeEach(() => void python.shown.splice(0))
  afterAll(() => python[Symbol.asyncDispose]())

  const images = () =>
    python.shown.flatMap(({ data }) =>
      typeof data['image/png'] === 'string' ? [Buffer.from(data['image/png'], 'base64')] : [],
    )

  it('are not looked for, and matplotlib is not imported, before a cell does', async () => {
    expect(
      await python.run('import sys\n[name for name in sys.modules if name.startswith("matplotlib")]'),
    ).toMatchObject({
      result: '[]',
    })
  })

  it('are shown as PNG after the run that opened them, and closed', async () => {
    const end = await python.run(
      'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.figure()\nplt.plot([2, 1])\nNone',
    )
    expect(end).toMatchObject({ outcome: 'ok', error: null })
    expect(images().map(imageTypeOf)).toEqual(['image/png', 'image/png'])
    expect(await python.run('plt.get_fignums()')).toMatchObject({ result: '[]' })
    expect(images()).toHaveLength(2)
  }, 30_000)

  it('are shown by plt.show() at once, so that two drawings are two pictures, without a warning', async () => {
    await python.run('plt.plot([1, 2]); plt.show()\nplt.plot([2, 1]); plt.show()\nplt.show()')
    expect(images()).toHaveLength(2)
    expect(images()[0]!.equals(images()[1]!)).toBe(false)
    expect(python.stderr()).not.toMatch(/Warning/)
  }, 30_000)

  it('that are shown without blocking, as plt.pause() does, come once, at the end, and stay the current one', async () => {
    await python.run(
      'a = plt.figure(); b = plt.figure()\nfor i in range(3): plt.plot([i, 1]); plt.pause(0.001); plt.show(block=False)',
    )
    expect(images()).toHaveLength(2)
    await python.run('a = plt.figure(); b = plt.figure()\na\nassert plt.gcf() is b', 'all')
    expect(images()).toHaveLength(4)
  }, 30_000)

  it('survive an exception', async () => {
    expect(await python.run('plt.plot([1])\n1 / 0')).toMatchObject({ outcome: 'error' })
    expect(images()).toHaveLength(1)
  }, 30_000)

  it('survive an interrupt, as after a timeout', async () => {
    const { run, ended } = await python.begin('import time\nplt.plot([1])\nprint("drawn", flush=True)\ntime.sleep(60)')
    python.runtime.interrupt(run)
    expect(await ended).toMatchObject({ outcome: 'interrupted' })
    expect(images()).toHaveLength(1)
  }, 30_000)

  it('are given up at the second step of an interrupt when drawing does not end', async () => {
    const code =
      'fig = plt.figure()\ndef endless(*a, **k):\n    print("drawing", flush=True)\n    while True: pass\nfig.savefig = endless\nplt.figure()\nNone'
    const { run, ended } = await python.begin(code)
    python.runtime.interrupt(run)
    expect(await ended).toMatchObject({ outcome: 'ok' })
    expect(python.shown.map(({ data }) => data['text/plain'])).toEqual([
      '<interrupted: figures that were open are not shown>',
    ])
    expect(await python.run('plt.get_fignums()')).toMatchObject({ result: '[]' })
  }, 30_000)

  it('that cannot be drawn are named, and keep no other from being shown', async () => {
    await python.run('a = plt.figure()\na.savefig = None\nb = plt.figure()\nNone')
    expect(python.shown.map(({ data }) => data['text/plain'] ?? 'image')).toEqual([
      "<figure 1 could not be drawn: TypeError: 'NoneType' object is not callable>",
      'image',
    ])
  }, 30_000)

  it('lose resolution until they fit in a megabyte', async () => {
    const noise =
      'import random\nplt.figure(figsize=(20, 20)).figimage([[random.random() for _ in range(2000)] for _ in range(2000)])'
    await python.run(`${noise}\nNone`)
    expect(images()).toHaveLength(1)
    expect(images()[0]!.length).toBeLessThanOrEqual(1_000_000)
    await python.run('plt.figure(figsize=(2000, 2000))\nNone')
    expect(images()).toHaveLength(2)
  }, 60_000)

  it('that are a value or are displayed come once', async () => {
    await python.run('fig, ax = plt.subplots()\nax.plot([1, 3])\nfig')
    expect(images()).toHaveLength(1)
    await python.run(
      'from callboard_kernel.display import display\nfig, ax = plt.subplots()\nax.plot([1, 4])\ndisplay(fig)',
    )
    expect(images()).toHaveLength(2)
    await python.run('from matplotlib.figure import Figure\nalone = Figure()\nalone.subplots().plot([5, 1])\nalone')
    expect(images()).toHaveLength(3)
  }, 30_000)
})
