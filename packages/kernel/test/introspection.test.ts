import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canImport, type PythonFixture, startPython } from './support/python.js'

let python: PythonFixture

beforeAll(async () => {
  python = await startPython()
})
afterAll(() => python[Symbol.asyncDispose]())

interface Variable {
  readonly name: string
  readonly type: string
  readonly size: number | null
  readonly shape: readonly number[] | null
  readonly preview: string
  readonly run_id: number | null
}

async function variables(params: object = {}): Promise<readonly Variable[]> {
  return ((await python.ask('variables', { limit: 200, ...params })) as { variables: Variable[] }).variables
}

async function variable(name: string): Promise<Variable | undefined> {
  return (await variables({ pattern: name }))[0]
}

const inspect = (name: string, with_source = false) => python.ask('inspect', { name, with_source })
const complete = async (code: string, cursor?: number) =>
  (await python.ask('complete', { code, cursor })) as { matches: string[]; start: number; end: number; total: number }

/** A class of which every way of looking runs code that leaves a trace in `touched`. */
const trap = `
touched = []
class Meta(type):
    def __eq__(self, other): touched.append("meta eq"); return True
    def __hash__(self): touched.append("meta hash"); return 1
    def __instancecheck__(self, other): touched.append("meta instance"); return True
    def __getattribute__(self, name): touched.append("meta " + name); return type.__getattribute__(self, name)
    __name__ = property(lambda self: touched.append("meta name"))
    __mro__ = property(lambda self: touched.append("meta mro"))
    __module__ = property(lambda self: touched.append("meta module"))
class Descriptor:
    def __get__(self, *a): touched.append("get")
    def __set__(self, *a): touched.append("set")
class Evil(str):
    def __eq__(self, other): touched.append("key eq"); return True
    def __hash__(self): touched.append("key hash"); return hash("ghost")
class Trap(metaclass=Meta):
    __slots__ = ("slot", "__dict__")
    data = Descriptor()
    __doc__ = property(lambda self: touched.append("doc"))
    __class__ = property(lambda self: touched.append("class") or dict)
    value = property(lambda self: touched.append("value"), doc="A value.")
    def method(self, a, /, b=2, *c, d: int = 4, **e): "What it does."
    def __getattribute__(self, name): touched.append(name); return object.__getattribute__(self, name)
    def __getattr__(self, name): touched.append(name); return 1
    def __len__(self): touched.append("len"); return 10 ** 9
    def __iter__(self): touched.append("iter"); return iter(())
    def __repr__(self): touched.append("repr"); return "trap"
    __str__ = __dir__ = __bool__ = __call__ = __format__ = __hash__ = __repr__
    def __eq__(self, other): touched.append("eq"); return True
class Text(str):
    def __format__(self, spec): touched.append("format"); return "x"
    __str__ = __repr__ = __add__ = __len__ = lambda self, *a: touched.append("text") or "x"
class Liar:
    __dict__ = property(lambda self: touched.append("dict"))
trap = Trap()
trap.slot = "in a slot"
object.__getattribute__(trap, "__dict__")[Evil("slot")] = 1
globals()[Evil("global")] = 1
object.__getattribute__(trap, "__dict__")["own"] = [1]
liar, nested, keys = Liar(), [trap, {"t": trap, (1, 2): Trap}], {Evil("a"): trap}
def named(): pass
named.__qualname__ = Text("named")
touched.clear()
None
`

describe('no code of the user runs', () => {
  beforeAll(async () => {
    expect(await python.run(trap)).toMatchObject({ error: null })
  })

  it('in a list of variables', async () => {
    expect(await variable('trap')).toMatchObject({ type: 'Trap', size: null, shape: null, preview: '<Trap>' })
    expect(await variable('nested')).toMatchObject({
      preview: "[<Trap>, {'t': <Trap>, (1, 2): <class Trap>}]",
      size: 2,
    })
    expect(await variable('keys')).toMatchObject({ preview: '{<Evil>: <Trap>}' })
    expect(await variables({ type: 'Trap' })).toHaveLength(1)
    await variables()
    expect(await python.run('touched')).toMatchObject({ result: '[]' })
  })

  it('by inspect: no property, no descriptor, no repr', async () => {
    expect(await inspect('trap.value')).toMatchObject({
      kind: 'property',
      doc: 'A value.',
      preview: null,
      signature: null,
    })
    expect(await inspect('trap.data')).toMatchObject({ kind: 'attribute', preview: null })
    expect(await inspect('trap.slot')).toMatchObject({ kind: 'value', preview: "'in a slot'" })
    expect(await inspect('trap.own')).toMatchObject({ kind: 'value', preview: '[1]' })
    expect(await inspect('trap.method')).toMatchObject({
      kind: 'method',
      signature: 'method(a, /, b=2, *c, d=4, **e)',
      doc: 'What it does.',
    })
    expect(await inspect('Trap.method')).toMatchObject({ signature: 'method(self, a, /, b=2, *c, d=4, **e)' })
    expect(await inspect('Trap', true)).toMatchObject({ kind: 'class', source: expect.stringMatching(/^class Trap/) })
    expect(await inspect('liar.x')).toMatchObject({ missing: "liar has no attribute 'x'." })
    expect(await inspect('trap.value.real')).toMatchObject({
      missing: expect.stringMatching(/^trap\.value is computed by code/),
    })
    // Where keys of another class have the hash of the name that is looked for.
    expect(await inspect('trap.ghost')).toMatchObject({
      missing: expect.stringMatching(/^trap has no attribute 'ghost'/),
    })
    expect(await inspect('ghost')).toMatchObject({ missing: expect.stringMatching(/^There is no name 'ghost' here/) })
    for (const name of ['trap', 'nested', 'named', 'liar', 'Liar', 'trap.metod', 'Meta', 'keys'])
      await inspect(name, true)
    expect(await python.run('touched')).toMatchObject({ result: '[]' })
  })

  it('by complete', async () => {
    expect((await complete('trap.')).matches).toEqual(
      expect.arrayContaining(['data', 'method', 'own', 'slot', 'value']),
    )
    expect((await complete('Trap.me')).matches).toEqual(['method'])
    expect((await complete('trap.value.re')).matches).toEqual([])
    expect((await complete('liar.')).matches).toEqual([])
    expect((await complete('trap')).matches).toEqual(['Trap', 'trap'].filter((name) => name.startsWith('trap')))
    expect(await python.run('touched')).toMatchObject({ result: '[]' })
  })
})

describe('variables', () => {
  it('are shown in short, whatever their size, depth or cycles', async () => {
    await python.run(
      'huge = "x" * 10**8\nnumber = 10 ** 5000\ncycle = []\ncycle.append(cycle)\ndeep = []\nfor _i in range(10**5): deep = [deep]\nmany = dict.fromkeys(range(10**6))\none = (1,)\nempty = set()\nspan = range(10**9)\nmodule = __import__("json")\nNone',
    )
    expect(await variable('huge')).toMatchObject({ size: 100_000_000, preview: expect.stringMatching(/^'x{198}…$/) })
    expect(await variable('number')).toMatchObject({ preview: '<int of 16610 bits>', size: null })
    expect(await variable('cycle')).toMatchObject({ preview: '[[[[…]]]]' })
    expect(await variable('deep')).toMatchObject({ preview: '[[[[…]]]]' })
    expect(await variable('many')).toMatchObject({
      size: 1_000_000,
      preview: expect.stringMatching(/^\{0: None, .* 11: None, …\}$/),
    })
    expect(await variable('one')).toMatchObject({ preview: '(1,)' })
    expect(await variable('empty')).toMatchObject({ preview: 'set()', size: 0 })
    expect(await variable('span')).toMatchObject({ preview: 'range(0, 1000000000)', size: 1_000_000_000 })
    expect(await variable('module')).toMatchObject({ preview: '<module json>', type: 'module' })
    await python.run('del deep')
  })

  it('name the run that last bound them, also the one that runs, newest first', async () => {
    await python.run('first = 1')
    const { run, ended } = await python.begin(
      'import time\nsecond = 2; first = [3]\nprint("go", flush=True)\ntime.sleep(60)',
    )
    const rows = await variables({ pattern: '[fs]*[td]' })
    expect(rows.map(({ name, run_id }) => [name, run_id])).toEqual([
      ['first', run],
      ['second', run],
    ])
    python.runtime.interrupt(run)
    await ended
    await python.run('first = 0')
    expect((await variables({ pattern: '[fs]*[td]' })).map(({ name, run_id }) => [name, run_id])).toEqual([
      ['first', run + 1],
      ['second', run],
    ])
  })

  it('may change while a cell runs', async () => {
    const { run, ended } = await python.begin(
      'd, i = {}, 0\nprint("go", flush=True)\nwhile True:\n    i += 1; d[i] = i; globals()["name_%d" % (i % 50)] = d\n    if i % 100 == 0: d.clear(); [globals().pop("name_%d" % k, None) for k in range(50)]',
    )
    for (let round = 0; round < 50; round += 1) expect(await variable('d')).toMatchObject({ type: 'dict' })
    python.runtime.interrupt(run)
    expect(await ended).toMatchObject({ outcome: 'interrupted' })
  })

  it('that a name says are none of an array do not pass for one', async () => {
    await python.run(
      'import sys, types\nfake = types.ModuleType("numpy")\nclass ndarray:\n    shape = property(lambda s: 1 / 0)\nfake.ndarray = ndarray\nsys.modules["numpy"] = fake\na = ndarray()\nNone',
    )
    expect((await python.ask('variables', { limit: 5, pattern: 'a' })) as object).toMatchObject({
      variables: [{ name: 'a', preview: '<ndarray>', shape: null }],
    })
    await python.run('del sys.modules["numpy"]')
  })
})

const numpy = ['/usr/bin/python3', 'python3'].find((path) => canImport(path, 'numpy'))

describe.skipIf(numpy === undefined)(`arrays${numpy ? '' : ' (skipped: no numpy here)'}`, () => {
  it('have a shape and a type of elements; those of a subclass, which may run code, do not', async () => {
    await using other = await startPython(numpy)
    await other.run(
      'import numpy as np\na = np.zeros((3, 4))\nb = np.array(["x", "yy"])\nclass Mine(np.ndarray):\n    shape = property(lambda self: 1 / 0)\nc = a.view(Mine)\nNone',
    )
    expect(await other.ask('variables', { pattern: '?', limit: 9 })).toMatchObject({
      variables: [
        { name: 'a', type: 'numpy.ndarray', size: 12, shape: [3, 4], preview: '<ndarray float64 (3, 4)>' },
        { name: 'b', shape: [2], preview: '<ndarray str (2,)>' },
        { name: 'c', shape: null, preview: '<Mine>' },
      ],
    })
    expect(await other.ask('inspect', { name: 'np.linalg.norm' })).toMatchObject({
      kind: 'function',
      signature: 'norm(x, ord=None, axis=None, keepdims=False)',
    })
    expect(await other.ask('inspect', { name: 'a.shape' })).toMatchObject({ kind: 'attribute' })
  }, 30_000)
})

const pandas = ['/usr/bin/python3', 'python3'].find((path) => canImport(path, 'pandas'))

describe.skipIf(pandas === undefined)(`tables${pandas ? '' : ' (skipped: no pandas here)'}`, () => {
  it('have a shape, and show themselves as HTML', async () => {
    await using other = await startPython(pandas)
    await other.run(
      'import pandas as pd\na = pd.DataFrame({"x": [1, 2, 3], "y": list("abc")})\nb = a.x\nc = a.set_index("y")\nd = pd.DataFrame({"t": [1, 2]}, index=pd.date_range("2024", periods=2))\nNone',
    )
    expect(await other.ask('variables', { pattern: '?', limit: 9 })).toMatchObject({
      variables: [
        { name: 'a', type: 'pandas.core.frame.DataFrame', shape: [3, 2], size: 6, preview: '<DataFrame (3, 2)>' },
        { name: 'b', shape: [3], preview: '<Series (3,)>' },
        { name: 'c', shape: [3, 1] },
        { name: 'd', shape: [2, 1] },
      ],
    })
    expect((await other.run('a')).result).toContain('x')
    expect(other.shown).toMatchObject([{ data: { 'text/html': expect.stringContaining('<table') } }])
  }, 60_000)
})

describe('inspect', () => {
  it('gives the source of cells, behind decorators too, and of files', async () => {
    await python.run(
      'import functools, json\ndef deco(f):\n    @functools.wraps(f)\n    def inner(*a): return f(*a)\n    return inner\n@deco\ndef target(x, y=[1]):\n    """Doc\n       of it."""\n    return x\nclass Outer:\n    class Inner:\n        pass',
    )
    expect(await inspect('target', true)).toMatchObject({
      kind: 'function',
      signature: 'target(x, y=[1])',
      doc: 'Doc\nof it.',
      source: expect.stringMatching(/^@deco\ndef target[\s\S]*return x\n$/),
      origin: expect.stringMatching(/^<cell-\d+>:6$/),
    })
    expect(await inspect('Outer.Inner', true)).toMatchObject({ source: '    class Inner:\n        pass' })
    expect(await inspect('json.JSONDecoder.decode', true)).toMatchObject({
      kind: 'method',
      source: expect.stringMatching(/^ {4}def decode\(self, s/),
    })
    expect(await inspect('len')).toMatchObject({ kind: 'builtin', signature: 'len(obj, /)', source: null })
    expect(await inspect('dict.get')).toMatchObject({ kind: 'method', signature: 'get(key, default=None, /)' })
    expect(await inspect('json')).toMatchObject({ kind: 'module', doc: expect.stringMatching(/^JSON/) })
  })

  it('never opens what is no file', async () => {
    await python.run(
      'import os, tempfile\nfifo = os.path.join(tempfile.mkdtemp(), "f"); os.mkfifo(fifo)\nexec(compile("def piped(): pass", fifo, "exec"))',
    )
    expect(await inspect('piped', true)).toMatchObject({ kind: 'function', source: null })
    await python.run('os.unlink(fifo); os.rmdir(os.path.dirname(fifo))')
  })

  it('suggests the nearest name for a wrong one, and refuses what is no name', async () => {
    expect(await inspect('json.lods')).toEqual({ missing: "json has no attribute 'lods'; did you mean 'loads'?" })
    expect(await inspect('jsn')).toEqual({ missing: "There is no name 'jsn' here; did you mean 'json'?" })
    await expect(inspect('f()')).rejects.toThrow(/is not a dotted name/)
    await expect(inspect('a..b')).rejects.toThrow(/is not a dotted name/)
  })
})

describe('complete', () => {
  it('counts in code points', async () => {
    expect(await complete('é𝄞 = 1; prin + 2', 12)).toMatchObject({ matches: ['print'], start: 8, end: 12 })
    await expect(complete('abc', 4)).rejects.toThrow('cursor is 4, but the code has 3 characters (code points).')
  })

  it.each([
    ['import j', 'json'],
    ['import json, xml.et', 'etree'],
    ['from os import pat', 'path'],
    ['from concurrent.fu', 'futures'],
    ['x = json.dum', 'dump'],
    ['json.\\\n  dum'.replace('\\\n', ''), 'dump'],
    ['whil', 'while'],
    ['isinst', 'isinstance'],
  ])('%s', async (code, expected) => {
    expect((await complete(code)).matches).toContain(expected)
  })

  it.each(['"json.du', '# json.du', '"""a\njson.du', 'json.loads().', '[1].', '1.', 'nothing.at.all.'])(
    'offers nothing in %j',
    async (code) => {
      expect((await complete(code)).matches).toEqual([])
    },
  )

  it('is bounded, also for text that is made to take long', async () => {
    await python.run('globals().update(dict.fromkeys(["zz_%d" % i for i in range(500)]))')
    expect(await complete('zz_')).toMatchObject({ total: 500, matches: { length: 100 } })
    const started = process.hrtime.bigint()
    for (const code of [
      `import ${'a, '.repeat(60_000)}!`,
      'a'.repeat(200_000),
      '" '.repeat(100_000),
      'a. '.repeat(60_000),
      ' '.repeat(200_000),
    ])
      await complete(code)
    expect(Number(process.hrtime.bigint() - started) / 1e9).toBeLessThan(10)
  })

  it('imports nothing', async () => {
    await python.run('import sys\nsys.modules.pop("this", None); before = set(sys.modules)')
    await complete('import th')
    await complete('from wsgiref import ')
    expect(await python.run('set(sys.modules) - before')).toMatchObject({ result: 'set()' })
  })
})
