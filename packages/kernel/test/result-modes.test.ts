import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PythonFixture, startPython } from './support/python.js'

let python: PythonFixture

beforeAll(async () => {
  python = await startPython()
  await python.run(
    'calls = 0\nclass Counted:\n    def __repr__(self):\n        global calls\n        calls += 1\n        return "counted"\n',
  )
})
beforeEach(() => void python.run('calls = 0'))
afterAll(() => python[Symbol.asyncDispose]())

describe('result mode last', () => {
  it('gives the last expression only', async () => {
    expect(await python.run('Counted()\n2\nx = 1\nCounted()')).toMatchObject({ result: 'counted' })
    expect(await python.run('calls')).toMatchObject({ result: '1' })
  })
})

describe('result mode all', () => {
  it('joins the values of every top-level expression, each described once and when it was made', async () => {
    const code = 'a = [1]\na\na.append(2)\na\nCounted()\nif True:\n    "inner"\nNone\n"end"'
    expect(await python.run(code, 'all')).toMatchObject({ result: "[1]\n[1, 2]\ncounted\n'end'" })
    expect(await python.run('calls')).toMatchObject({ result: '1' })
    expect(await python.run('x = 1\nNone', 'all')).toMatchObject({ outcome: 'ok', result: null })
  })

  it('runs nothing twice, and keeps the values before an exception', async () => {
    const end = await python.run('n = 0\nn\n(n := n + 1) / 0\n3', 'all')
    expect(end).toMatchObject({ outcome: 'error', result: '0' })
    expect(end.error).toMatch(/line 3, in <module>[\s\S]*ZeroDivisionError: division by zero$/)
    expect(await python.run('n')).toMatchObject({ result: '1' })
  })

  it('awaits, and binds _ from one value to the next', async () => {
    const code = 'import asyncio\nawait asyncio.sleep(0, 4)\n_ + 1\nawait asyncio.sleep(0, _ + 1)'
    expect(await python.run(code, 'all')).toMatchObject({ result: '4\n5\n6' })
  })

  it('is bounded in total to 16 KiB, with the bytes that are missing', async () => {
    const { result, resultOmitted } = await python.run('"a" * 10_000\n"b" * 10_000\n"c" * 10_000', 'all')
    expect(Buffer.byteLength(result!)).toBe(16 * 1024)
    expect(result).toMatch(/^'a{10000}'\n'b+$/)
    expect(resultOmitted).toBe(3 * 10_002 + 2 - 16 * 1024)
  })

  it('holds a __future__ import for all that follows, and refuses a late one', async () => {
    const code = '"""Doc."""\nfrom __future__ import annotations\n1\ndef f(a: undefined): pass\nf.__annotations__["a"]'
    expect(await python.run(code, 'all')).toMatchObject({ result: `'Doc.'\n1\n'undefined'` })
    expect((await python.run('def g(a: undefined): pass', 'all')).error).toMatch(/NameError/)
    expect((await python.run('n = 5\nn\nfrom __future__ import annotations', 'all')).error).toMatch(/SyntaxError/)
    expect((await python.run('n\nglobal n', 'all')).error).toMatch(/SyntaxError/)
  })

  it('shows every value, and warns once', async () => {
    await python.run('class H:\n    def _repr_html_(self): return "<p>"\nH()\nH()\n1 is 1', 'all')
    expect(python.shown).toHaveLength(2)
    expect(python.stderr().match(/SyntaxWarning/g)).toHaveLength(1)
  })
})

describe('result mode none', () => {
  it('runs the cell and describes nothing', async () => {
    python.shown.splice(0)
    expect(await python.run('Counted()', 'none')).toMatchObject({ outcome: 'ok', result: null, resultOmitted: 0 })
    await python.run('H()', 'none')
    expect(await python.run('calls, type(_).__name__')).toMatchObject({ result: "(0, 'H')" })
    expect(python.shown).toEqual([])
  })
})

describe('a repr', () => {
  it.each([
    [
      'of a class that cannot be hashed',
      'class M(type):\n    def __eq__(self, o): raise OSError\nclass A(metaclass=M):\n    def __repr__(self): return "a"\nA()',
      'a',
    ],
    ['among many', 'big = [A()] + ["x"] * 300_000\nbig', /^\[a, 'x', /],
    [
      'that is of a class of its own',
      'class S(str):\n    __len__ = encode = __str__ = lambda *a: 1 / 0\nclass B:\n    def __repr__(self): return S("b")\nB()',
      'b',
    ],
    [
      'of a class with keys of its own',
      'class K(str):\n    def __hash__(self): return hash("_repr_html_")\n    def __eq__(self, o): raise OSError\nC = type("C", (), {K("k"): 1, "__repr__": lambda self: "c"})\nC()',
      'c',
    ],
  ])('%s is as good as any', async (_, code, expected) => {
    const end = await python.run(code)
    expect(end).toMatchObject({ outcome: 'ok', error: null })
    expect(end.result).toMatch(expected)
  })
})

describe('what a cell raises never ends the kernel', () => {
  it.each([
    [
      'an exit whose code compares by code of the cell',
      'class C:\n    def __eq__(self, other): raise OSError\nraise SystemExit(C())',
    ],
    [
      'an exception whose class has a name by code',
      'class M(type):\n    __name__ = property(lambda s: 1 / 0)\nclass E(Exception, metaclass=M):\n    __str__ = None\nraise E',
    ],
    [
      'an exit whose code is a property',
      'class E(SystemExit):\n    @property\n    def code(self): raise OSError\nraise E(1)',
    ],
    [
      'a name that is no string',
      'class K(str):\n    __class__ = property(lambda s: 1 / 0)\n    __hash__ = str.__hash__\nglobals()[3] = 1; globals()[K("k")] = 2; 1 / 0',
    ],
  ])('%s', async (_, code) => {
    expect(await python.run(code)).toMatchObject({ outcome: 'error' })
    expect(await python.run('1')).toMatchObject({ result: '1' })
  })

  it('clears names of every kind of key', async () => {
    await python.run(
      'class Evil(str):\n    def __hash__(self): return hash(str(self))\n    def __eq__(self, o): raise OSError\nglobals()[Evil("x")] = 1; kept = 1; None',
    )
    expect((await python.runtime.python.clear('names'))?.names).toBeGreaterThan(1)
    expect((await python.run('kept')).error).toMatch(/NameError/)
    expect(await python.run('__name__')).toMatchObject({ result: "'__main__'" })
  })
})
