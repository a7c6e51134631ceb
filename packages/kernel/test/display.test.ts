import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CellEnd, MimeBundle } from '../src/runtime/runtime.js'
import { type PythonFixture, startPython } from './support/python.js'

let python: PythonFixture

beforeAll(async () => {
  python = await startPython()
  await python.run('from callboard_kernel.display import display\nimport base64')
})
beforeEach(() => void python.shown.splice(0))
afterAll(() => python[Symbol.asyncDispose]())

const png = Buffer.from('iVBORw0KGgo=', 'base64')

/** Runs a cell whose last value is of a class with this method. */
async function valueWith(method: string): Promise<CellEnd & { readonly shown: readonly MimeBundle['data'][] }> {
  const indented = method.replaceAll('\n', '\n    ')
  const end = await python.run(
    `class Value:\n    def __repr__(self):\n        return "<value>"\n    ${indented}\nValue()`,
  )
  return { ...end, shown: python.shown.map(({ data }) => data) }
}

describe('the value of a cell', () => {
  it('is shown by the best representation that it offers, beside its repr', async () => {
    expect(await valueWith('def _repr_html_(self):\n    return "<b>1</b>"')).toMatchObject({
      result: '<value>',
      shown: [{ 'text/html': '<b>1</b>' }],
    })
  })

  it.each([
    ['_repr_svg_', '"<svg/>"', 'image/svg+xml', '<svg/>'],
    ['_repr_markdown_', '"# a"', 'text/markdown', '# a'],
    ['_repr_latex_', '"$x$"', 'text/latex', '$x$'],
    ['_repr_json_', '{"a": [1, None]}', 'application/json', { a: [1, null] }],
    ['_repr_png_', `b"\\x89PNG\\r\\n\\x1a\\n"`, 'image/png', png.toString('base64')],
    ['_repr_jpeg_', `"${png.toString('base64')}"`, 'image/jpeg', png.toString('base64')],
    ['_repr_html_', '("<i></i>", {"isolated": True})', 'text/html', '<i></i>'],
  ])('%s', async (method, value, type, expected) => {
    expect((await valueWith(`def ${method}(self):\n    return ${value}`)).shown).toEqual([{ [type]: expected }])
  })

  it('takes from _repr_mimebundle_ what an agent can use, and asks no other method then', async () => {
    const { shown } = await valueWith(
      'def _repr_mimebundle_(self, include=None, exclude=None):\n    return {"text/html": "<p>", "image/png": b"\\x89PNG\\r\\n\\x1a\\n", "application/x-own": object(), 3: 4}\ndef _repr_html_(self):\n    raise SystemExit',
    )
    expect(shown).toEqual([{ 'image/png': png.toString('base64') }])
  })

  it('shows nothing for built-in values, for None from a method, for classes, and for an object that has every attribute', async () => {
    await python.run('1')
    await valueWith('def _repr_html_(self):\n    return None')
    await python.run('Value')
    await python.run('class Every:\n    def __getattr__(self, name):\n        return lambda *a: "x" * 100\nEvery()')
    expect(python.shown).toEqual([])
  })
})

describe('a method that misbehaves never fails the run', () => {
  it.each([
    ['raises', 'def _repr_html_(self):\n    raise TypeError("no")', '<_repr_html_ failed: TypeError: no>'],
    ['exits', 'def _repr_html_(self):\n    raise SystemExit(3)', '<_repr_html_ failed: SystemExit: 3>'],
    ['recurses', 'def _repr_html_(self):\n    return self._repr_html_()', /^<_repr_html_ failed: RecursionError: /],
    [
      'gives a wrong type',
      'def _repr_png_(self):\n    return 3',
      '<image/png of _repr_png_ not shown: it is int instead of bytes>',
    ],
    [
      'gives no base64',
      'def _repr_png_(self):\n    return "é"',
      /^<image\/png of _repr_png_ failed: UnicodeEncodeError/,
    ],
    [
      'gives no dict',
      'def _repr_mimebundle_(self, **k):\n    return [1]',
      '<_repr_mimebundle_ gave list instead of a dict>',
    ],
    [
      'gives NaN as JSON',
      'def _repr_json_(self):\n    return [float("nan")]',
      /^<application\/json of _repr_json_ failed: ValueError/,
    ],
    [
      'gives cyclic JSON',
      'def _repr_json_(self):\n    a = []; a.append(a)\n    return a',
      /^<application\/json of _repr_json_ failed: ValueError/,
    ],
    [
      'gives 1 GB of HTML',
      'def _repr_html_(self):\n    return "x" * 10**9',
      /not shown: it has 1000000000 characters, at most 524288/,
    ],
    [
      'gives 1 GB of PNG',
      'def _repr_png_(self):\n    return bytes(10**9)',
      /not shown: it has 1000000000 bytes, at most 3000000/,
    ],
    [
      'is hostile in what it raises',
      'def _repr_html_(self):\n    class E(BaseException):\n        __str__ = None\n    raise E',
      /^<_repr_html_ failed: /,
    ],
  ])('%s', async (_, method, note) => {
    const { outcome, result, shown } = await valueWith(method)
    expect({ outcome, result }).toEqual({ outcome: 'ok', result: '<value>' })
    expect(shown).toEqual([{ 'text/plain': typeof note === 'string' ? note : expect.stringMatching(note) }])
  })

  it('cuts 1 GB of markdown', async () => {
    const { shown } = await valueWith('def _repr_markdown_(self):\n    return "m" * 10**9')
    expect(shown[0]!['text/markdown']).toMatch(/^m{524288}\n\[\.\.\. 999475712 bytes omitted \.\.\.\]$/)
  })

  it('is interrupted when it loops', async () => {
    const { run, ended } = await python.begin(
      'class Loop:\n    def _repr_html_(self):\n        print("in", flush=True)\n        while True: pass\nLoop()',
    )
    python.runtime.interrupt(run)
    expect(await ended).toMatchObject({ outcome: 'interrupted' })
    expect(await python.run('1')).toMatchObject({ result: '1' })
  })
})

describe('display', () => {
  it('shows as text what offers nothing else, and markup with its text', async () => {
    await python.run(
      'display(3, "a")\nclass Table:\n    def __repr__(self): return "a table"\n    def _repr_html_(self): return "<table>"\ndisplay(Table())',
    )
    expect(python.shown.map(({ data }) => data)).toEqual([
      { 'text/plain': '3' },
      { 'text/plain': "'a'" },
      { 'text/html': '<table>', 'text/plain': 'a table' },
    ])
  })

  it('bounds the text of huge values, and names a repr that raises', async () => {
    await python.run('display("x" * 10**9)\nclass R:\n    def __repr__(self): raise KeyError("k")\ndisplay(R())')
    expect(python.shown[0]!.data['text/plain']).toMatch(/^'x+\[\.\.\. 99998\d+ bytes omitted \.\.\.\]$/)
    expect(python.shown[1]!.data).toEqual({ 'text/plain': "<repr failed: KeyError: 'k'>" })
  })

  it('stops at the limits of a run, says so once, and starts anew with the next', async () => {
    await python.run('for i in range(10_000): display(i)')
    expect(python.shown).toHaveLength(101)
    expect(python.shown[100]!.data['text/plain']).toBe('<no more is shown of this run: at most 100 items and 32 MiB>')
    await python.run('display("again")')
    expect(python.shown).toHaveLength(102)
    python.shown.splice(0)
    await python.run(
      'class Big:\n    def _repr_png_(self): return b"\\x89PNG" + bytes(2_900_000)\nfor i in range(50): display(Big())',
    )
    expect(python.shown).toHaveLength(9)
    expect(python.shown[8]!.data['text/plain']).toMatch(/^<no more is shown/)
  })

  it('works from a thread, and says nothing from a forked child', async () => {
    await python.run(
      'import threading, os\nt = threading.Thread(target=display, args=("thread",)); t.start(); t.join()',
    )
    await python.run('pid = os.fork()\nif pid == 0:\n    display("child")\nelse:\n    os.waitpid(pid, 0)')
    expect(python.shown.map(({ data }) => data)).toEqual([{ 'text/plain': "'thread'" }])
  })
})
