import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunReport } from '../src/kernel/run-report.js'
import { evaluate, openPool, type PoolFixture } from './support/fixture.js'

let house: PoolFixture
let run: (code: string) => Promise<RunReport>

beforeAll(async () => {
  house = await openPool()
  run = (code) => evaluate(house.kernel(), code)
})
afterAll(() => house[Symbol.asyncDispose]())

describe('outcomes of the reference', () => {
  it('1 + 1', async () => {
    expect(await run('1 + 1')).toMatchObject({
      result: '2',
      stdout: '',
      stderr: '',
      success: true,
      error: null,
      status: 'ok',
      truncated: null,
      failure: null,
      notices: [],
    })
  })

  it('a block that ends in an expression has its value', async () => {
    expect(await run('x = 5\nx * 2')).toMatchObject({ result: '10', names: { added: ['x'], changed: [], deleted: [] } })
  })

  it('a print as the only expression is captured', async () => {
    expect(await run("print('hi')")).toMatchObject({ result: null, stdout: 'hi\n', success: true, error: null })
  })

  it('a raising expression never runs twice', async () => {
    await run('n = 0')
    const report = await run('(n := n + 1) / 0')
    expect(report).toMatchObject({ success: false, status: 'error', result: null, failure: null })
    expect(report.error).toMatch(/ZeroDivisionError: division by zero$/)
    expect((await run('n')).result).toBe('1')
  })

  it('top-level await', async () => {
    expect(await run('import asyncio\nawait asyncio.sleep(0, 7)')).toMatchObject({ result: '7', success: true })
    expect(await run('values = [i async for i in agen()]\nvalues').then((r) => r.error)).toMatch(/NameError/)
    expect((await run('async def agen():\n    yield 1\n    yield 2\n[i async for i in agen()]')).result).toBe('[1, 2]')
  })

  it('os.system writes into stdout', async () => {
    expect(await run('import os; os.system("echo b")')).toMatchObject({ stdout: 'b\n', result: '0' })
  })
})

describe('compilation', () => {
  it('keeps output before an exception and shows the lines of the source', async () => {
    const { stdout, error } = await run('def broken():\n    return {}["key"]\nprint("before")\nbroken()')
    expect(stdout).toBe('before\n')
    expect(error).toMatch(
      /^Traceback \(most recent call last\):\n {2}File "<cell-\d+>", line 4, in <module>\n {4}broken\(\)/,
    )
    expect(error).toContain('return {}["key"]')
    expect(error).toMatch(/KeyError: 'key'$/)
    expect(error).not.toContain('callboard_kernel')
  })

  it('shows chained causes, and a traceback through await without the harness', async () => {
    const chained = await run('try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError("outer") from e')
    expect(chained.error).toContain('The above exception was the direct cause')
    expect(chained.error).toMatch(/ValueError: outer$/)
    const awaited = await run(
      'import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    raise OSError("late")\nawait f()',
    )
    expect(awaited.error).toMatch(/^Traceback \(most recent call last\):\n {2}File "<cell-\d+>", line 5/)
    expect(awaited.error).not.toMatch(/callboard_kernel|run_until_complete/)
  })

  it('reports a syntax error without a trace of the harness', async () => {
    const { error, status } = await run('if True print(1)')
    expect(status).toBe('error')
    expect(error).toMatch(/^ {2}File "<cell-\d+>", line 1\n/)
    expect(error).toMatch(/SyntaxError: .*$/)
  })

  it.each([
    ['null bytes', 'x = "\0"'],
    ['a lone surrogate', 'x = "\ud800"'],
    ['return outside', 'return 1'],
  ])('survives source with %s', async (_, code) => {
    expect((await run(code)).status).toBe('error')
    expect((await run('2')).result).toBe('2')
  })

  it('holds a __future__ import for its own cell only, and there for the last expression too', async () => {
    const code = 'from __future__ import annotations\ndef f(a: undefined_name): pass\nf.__annotations__["a"]'
    expect((await run(code)).result).toBe("'undefined_name'")
    expect((await run('def g(a: undefined_name): pass')).error).toMatch(/NameError/)
    expect(
      (await run('from __future__ import annotations\n(lambda: 0).__code__.co_flags & annotations.compiler_flag != 0'))
        .result,
    ).toBe('True')
  })

  it('has a real __main__: pickle and inspect find what cells define', async () => {
    const code =
      'import pickle, inspect\nclass C:\n    v = 1\ndef f():\n    return C\nassert pickle.loads(pickle.dumps(C())).v == 1\ninspect.getsource(f), __name__'
    expect((await run(code)).result).toBe(String.raw`('def f():\n    return C\n', '__main__')`)
  })

  it('binds _ to the last value', async () => {
    await run('41')
    expect((await run('_ + 1')).result).toBe('42')
  })

  it('runs the last expression alone, with walrus names in the namespace', async () => {
    expect((await run('[y := 3, y ** 2]')).result).toBe('[3, 9]')
    expect((await run('y')).result).toBe('3')
  })

  it('lists names added, changed and deleted', async () => {
    await run('a = 1; b = object()')
    expect((await run('b = object(); c = 3; del a')).names).toEqual({ added: ['c'], changed: ['b'], deleted: ['a'] })
  })

  it('imports from its own working directory and not from the harness', async () => {
    expect((await run('import sys; sys.path[0], sys.argv')).result).toBe("('', [''])")
    expect((await run('open("mod_here.py", "w").write("v = 3")\nimport mod_here\nmod_here.v')).result).toBe('3')
  })
})

describe('values', () => {
  it.each([
    ['raises', 'class R:\n    def __repr__(self):\n        raise TypeError("no")\nR()', '<repr failed: TypeError: no>'],
    ['is no string', 'class R:\n    def __repr__(self):\n        return 3\nR()', /^<repr failed: TypeError: .*>$/],
    [
      'recurses',
      'class R:\n    def __repr__(self):\n        return repr(self)\nR()',
      /^<repr failed: RecursionError: .*>$/,
    ],
  ])('names a repr that %s', async (_, code, expected) => {
    const report = await run(code)
    expect(report).toMatchObject({ success: true, status: 'ok' })
    if (typeof expected === 'string') expect(report.result).toBe(expected)
    else expect(report.result).toMatch(expected)
  })

  it('interrupts a repr that loops', async () => {
    const report = await evaluate(house.kernel(), 'class L:\n    def __repr__(self):\n        while True: pass\nL()', {
      timeoutMs: 300,
    })
    expect(report).toMatchObject({ status: 'timeout', success: false })
    expect((await run('1')).result).toBe('1')
  })

  it('bounds the repr of huge values and counts what is missing', async () => {
    const text = await run("'x' * 1_000_000_000")
    expect(text.result).toMatch(/^'x+$/)
    expect(Buffer.byteLength(text.result!)).toBe(16 * 1024)
    expect(text.truncated?.result).toBe(1_000_000_002 - 16 * 1024)
    const list = await run('list(range(3_000_000))')
    expect(list.result).toMatch(/^\[0, 1, 2, 3/)
    expect(Buffer.byteLength(list.result!)).toBeLessThanOrEqual(16 * 1024)
    expect(list.truncated?.result).toBeGreaterThan(1_000_000)
    const custom = await run('class Big:\n    def __repr__(self):\n        return "y" * 100_000_000\nBig()')
    expect(custom.truncated).toEqual({ result: 100_000_000 - 16 * 1024 })
  })

  it('runs a repr once', async () => {
    await run(
      'calls = 0\nclass Once:\n    def __repr__(self):\n        global calls\n        calls += 1\n        return "once"\n',
    )
    expect((await run('Once()')).result).toBe('once')
    expect((await run('calls')).result).toBe('1')
  })

  it('is exact for nested built-ins', async () => {
    const code = '[1, (2,), {"a": {3}, "b": frozenset([4])}, set(), (), b"x", None, 1.5, [[]]]'
    expect((await run(code)).result).toBe(
      "[1, (2,), {'a': {3}, 'b': frozenset({4})}, set(), (), b'x', None, 1.5, [[]]]",
    )
    expect((await run('loop = [1]; loop.append(loop); loop')).result).toBe('[1, [...]]')
  })
})

describe('ends', () => {
  it.each([
    ['sys.exit()', true],
    ['sys.exit(0)', true],
    ['sys.exit(3)', false],
    ['sys.exit("bad")', false],
    ['raise SystemExit', true],
  ])('%s ends the run and keeps the kernel', async (code, success) => {
    await run('kept = 1')
    const report = await run(`import sys\n${code}`)
    expect(report.success).toBe(success)
    if (!success) expect(report.error).toMatch(/SystemExit: (3|bad)$/)
    expect((await run('kept')).result).toBe('1')
  })

  it('reads nothing from stdin', async () => {
    expect((await run('input()')).error).toMatch(/EOFError: .*$/)
    expect(await run('import subprocess\nsubprocess.run(["cat"]).returncode')).toMatchObject({
      result: '0',
      stdout: '',
    })
  })

  it('keeps the error readable after a megabyte of output and message', async () => {
    const report = await run('print("z" * 1_000_000)\nraise ValueError("start" + "m" * 20_000 + "end")')
    expect(report.error).toMatch(/^Traceback/)
    expect(report.error).toMatch(/mend$/)
    expect(report.truncated?.stdout).toBeGreaterThan(900_000)
    const lines = await run('raise ValueError("\\n".join("line %d" % i for i in range(100_000)))')
    expect(lines.error).toMatch(/line 99999$/)
    expect(lines.error).toMatch(/bytes omitted/)
    expect(lines.error!.length).toBeLessThan(40_000)
    expect(lines.truncated?.error).toBeGreaterThan(1_000_000)
  })

  it('passes on an exception’s text as UTF-8', async () => {
    expect((await run('raise ValueError(chr(0xd800) + "é")')).error).toMatch(/ValueError: \uFFFDé$/)
  })

  it('survives an exception whose text cannot be made', async () => {
    const report = await run('class E(Exception):\n    def __str__(self):\n        raise RuntimeError\nraise E')
    expect(report.error).toMatch(/E: <(exception str\(\) failed|unprintable E object)>$/)
  })

  it('lets a forked child end with its cell', async () => {
    const report = await run(
      'import os\npid = os.fork()\nif pid == 0:\n    print("child")\nelse:\n    os.waitpid(pid, 0)\npid > 0',
    )
    expect(report).toMatchObject({ result: 'True', stdout: 'child\n' })
    expect((await run('1')).result).toBe('1')
  })

  it('runs multiprocessing', async () => {
    const code =
      'import multiprocessing\ndef square(x):\n    return x * x\nwith multiprocessing.Pool(2) as pool:\n    squares = pool.map(square, [1, 2, 3])\nsquares'
    expect((await run(code)).result).toBe('[1, 4, 9]')
  })
})

describe('the event loop', () => {
  it('goes on between cells', async () => {
    await run(
      'import asyncio\nseen = asyncio.Event()\nasync def later():\n    await asyncio.sleep(2)\n    seen.set()\ntask = asyncio.create_task(later())\nawait asyncio.sleep(0)',
    )
    expect((await run('seen.is_set()')).result).toBe('False')
    expect((await run('await asyncio.wait_for(seen.wait(), 30)')).result).toBe('True')
  })

  it('is not stopped under a cell that awaits by the message that brought it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const reports = await Promise.all(
        Array.from({ length: 30 }, () => run('import asyncio\nawait asyncio.sleep(0.001, 1)')),
      )
      expect(reports.map(({ error }) => error).filter(Boolean)).toEqual([])
    }
  })

  it('is spared by asyncio.run, a stopped and a closed loop, and a failing task', async () => {
    expect((await run('import asyncio\nasync def one(): return 1\nasyncio.run(one())')).result).toBe('1')
    expect((await run('await one()')).result).toBe('1')
    expect((await run('asyncio.get_event_loop().stop()')).success).toBe(true)
    expect((await run('await one()')).result).toBe('1')
    expect((await run('asyncio.get_event_loop().close()')).success).toBe(true)
    expect((await run('await one()')).result).toBe('1')
    await run('async def leave(): raise SystemExit(1)\nt = asyncio.get_event_loop().create_task(leave())')
    expect((await run('await one()')).result).toBe('1')
  })
})

describe('habits from elsewhere get advice on the last line', () => {
  it.each([
    ['!ls', /SyntaxError: .*\(no shell lines or magics here/],
    ['%timeit 1', /SyntaxError: .*\(no shell lines or magics here/],
    [
      'import asyncio\nasync def f(): pass\nc = f()\ntry: asyncio.create_task(c)\nfinally: c.close()',
      /RuntimeError: no running event loop \(.*add e\.g\. await asyncio\.sleep\(0\)\)$/,
    ],
  ])('%s', async (code, expected) => {
    expect((await run(code)).error).toMatch(expected)
  })

  it('and nobody else: a broken parenthesis is just that', async () => {
    expect((await run('f(')).error).not.toMatch(/magics/)
  })
})
