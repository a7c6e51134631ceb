import { describe, expect, it } from 'vitest'
import { PythonApiReader } from '../src/tools/python-api.js'
import { ModuleKernel, pythons, Refusal } from './support/module-kernel.js'

/** Every call of the module, as its specification has it. */
const signatures = [
  'session(name=None, vibe=None, load=None, shared=None)',
  'sessions()',
  'history(limit=20, query=None)',
  'note(text)',
  'tempo(bpm=None)',
  'play(from_beat=None)',
  'pause()',
  'stop()',
  'seek(beat)',
  'loop(start, end=None)',
  'beat()',
  'transport()',
  'await until_beat(b)',
  'await sleep_beats(n)',
  'marker(name, beat, metadata=None)',
  'markers(start=None, end=None)',
  'remove_marker(name)',
  "rule(trigger, action, *, name=None, priority='normal', enabled=True, one_shot=None, max_fires=None, cooldown_s=0, lead_s=0, max_late_s=None, limit_s=5)",
  'on(trigger, **options)',
  'on_beat(divisor)',
  'on_marker(name)',
  'on_artifact(tag=None)',
  'on_event(pattern, /, **where)',
  'rules(all=False)',
  'get_rule(id_or_name)',
  'emit(name, data=None)',
  'events(cursor=None, types=None, limit=100)',
  'await wait_event(pattern, timeout_s, cursor=None)',
  'tool(name, /, **arguments)',
  'await gather(awaitables)',
  'display(obj)',
  'docs(topic=None)',
]

describe.each(pythons)('the module vibeweaver on Python $version', ({ version, path }) => {
  const test = path === undefined ? it.skip : it
  const why = path === undefined ? ` (no Python ${version} here)` : ''

  test(`has every call of the table, each with a docstring and an example${why}`, async () => {
    const api = await new PythonApiReader(path!).read()
    const functions = api!.entries.filter(({ kind }) => kind === 'function')
    expect(functions.map(({ signature }) => signature)).toEqual(signatures)
    for (const { name, doc } of functions) expect(doc, name).toMatch(/^[A-Z].*[\s\S]*\n\nExample:\n {4}\S/)
    const rule = api!.entries.find(({ name }) => name === 'Rule')!
    const methods = ['enable()', 'disable()', 'remove()', 'fire()', 'next_fire()', 'log(limit=20)']
    expect(rule.methods.map(({ signature }) => signature)).toEqual(methods)
    for (const { name, kind, doc } of api!.entries) if (kind !== 'function') expect(doc, name).toMatch(/^[A-Z]/)
  })

  test(`can be imported, and is there without; asks the worker and gives values${why}`, async () => {
    await using kernel = await ModuleKernel.start(path)
    expect(await kernel.run('import vibeweaver, sys\nsys.modules["vibeweaver"] is vibeweaver, beat()')).toBe(
      '(True, 4.5)',
    )
    expect(await kernel.run('session("demo")')).toBe("SessionInfo(id='id-1', name='demo', vibe=None, tempo_bpm=120.0)")
    expect(await kernel.run('loop(0, 4)')).toBe(
      "TransportState(state='playing', position=4.5, bpm=120.0, loop=(0.0, 4.0))",
    )
    expect(await kernel.run('await until_beat(8), await sleep_beats(1), tempo()')).toBe('(8.0, 1.0, 120.0)')
    expect(await kernel.run('[e["type"] for e in events()], get_rule("f").disable()')).toBe(
      "(['job.completed'], <Rule 'f': beat:4 -> call:f, disabled, fired 0>)",
    )
    expect(await kernel.run('get_rule("f").next_fire(), tool("t", name=1)')).toBe(
      "(NextFire(beat=8.0, time=None), {'name': 't', 'given': {'name': 1}})",
    )
    expect(await kernel.run('docs()')).toBe('line 1\nline 2')
    expect(await kernel.run('import pickle\npickle.loads(pickle.dumps(marker("a", 1))) == marker("a", 1)')).toBe('True')
    expect(await kernel.error('transport().bpm = 3')).toMatch(/AttributeError: TransportState is read-only$/)
  })

  test(`runs callbacks, on time and with what their decorator says${why}`, async () => {
    await using kernel = await ModuleKernel.start(path)
    await kernel.run(
      [
        'seen = []',
        '@on_beat(4)\ndef on_bar(beat): seen.append(beat)',
        '@on_marker("drop")\ndef on_drop(name, beat): seen.append((name, beat))',
        '@on_event("job.*", name="mix")\ndef on_job(event): seen.append(event["data"])',
        '@on("every:1s")\nasync def on_time(fire):\n    import asyncio\n    seen.append(await asyncio.sleep(0, fire.count))',
        'rule("beat:1", "eval:seen.append(await asyncio.sleep(0, x))")',
        'import asyncio\nx = 7',
      ].join('\n'),
    )
    kernel.fire({ firing: 1, rule_id: 'rule-1', target_beat: 8 })
    kernel.fire({ firing: 2, rule_id: 'rule-2', target_beat: 32, marker: 'drop' })
    kernel.fire({ firing: 3, rule_id: 'rule-3', event: { type: 'job.done', data: { name: 'mix' } } })
    kernel.fire({ firing: 4, rule_id: 'rule-4', count: 9 })
    kernel.fire({ firing: 5, rule_id: 'rule-5', code: 'seen.append(await asyncio.sleep(0, x))' })
    expect(await Promise.all([1, 2, 3, 4, 5].map((firing) => kernel.ended(firing)))).toEqual(
      [1, 2, 3, 4, 5].map((firing) => ({ firing, outcome: 'ok', detail: null })),
    )
    expect(await kernel.run('seen')).toBe("[8.0, ('drop', 32.0), {'name': 'mix'}, 9, 7]")
  })

  test(`stops a callback that runs for too long, and nothing else${why}`, async () => {
    await using kernel = await ModuleKernel.start(path)
    const swallowing =
      'def run():\n    while True:\n        try:\n            len(str())\n        except Exception:\n            pass\nrun()'
    kernel.fire({ firing: 1, code: swallowing, limit_s: 0.05 })
    const { outcome, detail } = await kernel.ended(1)
    expect([outcome, detail]).toEqual([
      'error',
      expect.stringMatching(/LimitError: it ran for more than limit_s, 0\.05 s$/),
    ])
    expect(detail).toMatch(/File "<rule-rule-1>", line \d, in run/)
    for (let firing = 2; firing < 30; firing += 1) {
      kernel.fire({ firing, code: 'import time; time.sleep(0.001)', limit_s: 0.0012 })
      await kernel.ended(firing)
    }
    kernel.fire({ firing: 99, code: 'sum(range(1000))' })
    expect(await kernel.ended(99)).toMatchObject({ outcome: 'ok' })
  })
})

describe.each(pythons)('a call that is stopped at any instruction, on Python $version', ({ path }) => {
  const test = path === undefined ? it.skip : it

  test('harms neither the line to the worker nor the kernel (skipped where this version is absent)', async () => {
    await using kernel = await ModuleKernel.start(path, { tool: () => null })
    // More than the socket takes at once.
    await kernel.run('large = "x" * 1_000_000')
    for (let round = 0; round < 20; round += 1) {
      const before = kernel.asked.length
      const ended = kernel.execute('while True:\n    tool("t", text=large)')
      kernel.fire({ firing: round, limit_s: 0.002 + round / 10_000, code: 'while True:\n    beat()' })
      await kernel.ended(round)
      await kernel.until(() => kernel.asked.length > before + round)
      kernel.interrupt()
      expect(await ended).toMatchObject({ outcome: 'interrupted' })
    }
    kernel.fire({ firing: 100, code: 'beat()' })
    expect(await kernel.ended(100)).toMatchObject({ outcome: 'ok' })
    expect(await kernel.run('beat()')).toBe('4.5')
  })
})

describe('arguments of vibeweaver', () => {
  it('are refused before anything is asked: wrong types by TypeError, wrong values by ValueError', async () => {
    await using kernel = await ModuleKernel.start()
    const refused: [string, RegExp][] = [
      ['seek(-1)', /ValueError: beat must be at least 0, not -1$/],
      ['seek(float("nan"))', /ValueError: beat must be a finite number/],
      ['seek("4")', /TypeError: beat must be a number, not str$/],
      ['seek(True)', /TypeError/],
      ['play(-0.5)', /ValueError/],
      ['marker("drop", -1)', /ValueError/],
      ['marker("", 1)', /ValueError: name must have 1 to 64 characters, not 0$/],
      ['marker("x" * 65, 1)', /ValueError/],
      ['marker("x", 1, {"a": object()})', /TypeError: metadata must be JSON/],
      ['marker("x", 1, "y" * 5000)', /ValueError: metadata must be at most 4096 bytes as JSON, not 5002$/],
      ['tempo(0.5)', /ValueError/],
      ['tempo(1000)', /ValueError: bpm must be at most 999/],
      ['loop(4, 4)', /ValueError: end must be more than 4/],
      ['loop(4)', /TypeError: loop needs start and end/],
      ['await until_beat(-1)', /ValueError/],
      ['await sleep_beats("1")', /TypeError/],
      ['await wait_event("a", 0)', /ValueError/],
      ['emit("a", float("inf"))', /ValueError: data must be JSON/],
      ['emit("a", "x" * 70000)', /ValueError: data must be at most 65536 bytes/],
      ['session("a", load="b")', /ValueError: give name or load, not both$/],
      ['session(shared=1)', /TypeError/],
      ['history(0)', /ValueError/],
      ['history(2.5)', /TypeError: limit must be a whole number/],
      ['rule("beat:4", 5)', /TypeError: action must be text/],
      ['rule("beat:4", "call:f")', /ValueError: give the function itself/],
      ['rule("beat:4", "play", priority="urgent")', /ValueError: priority must be one of critical, high/],
      ['rule("beat:4", "play", one_shot=True, max_fires=2)', /ValueError/],
      ['rule("beat:4", "play", limit_s=0)', /ValueError: limit_s must be more than 0/],
      ['rule("beat:4", lambda: 1)', /TypeError: <lambda> must take a Fire/],
      ['on("beat:4", colour=1)', /TypeError: unknown option colour; there are name, priority/],
      ['on_beat(0.1)', /ValueError: divisor must be at least 0\.25/],
      ['on_marker(3)', /TypeError/],
    ]
    for (const [code, expected] of refused) expect(await kernel.error(code), code).toMatch(expected)
    expect(kernel.asked).toEqual([])
  })

  it('make one firing of `at` and `after` unless told', async () => {
    await using kernel = await ModuleKernel.start()
    const fires = 'rule("at:1", "play").max_fires, rule("after:1s", "play", one_shot=False).max_fires'
    expect(
      await kernel.run(`${fires}, rule("at:1", "play", max_fires=3).max_fires, rule("beat:1", "play").max_fires`),
    ).toBe('(1, None, 3, None)')
  })
})

describe('what is not there', () => {
  it('says what is missing, however it is asked for', async () => {
    await using kernel = await ModuleKernel.start()
    const sentence = 'vibeweaver.sample needs a music generator, which this kernel does not have'
    expect(await kernel.error('import vibeweaver\nvibeweaver.sample')).toMatch(`AttributeError: ${sentence}`)
    expect(await kernel.error('from vibeweaver import sample')).toMatch(`ImportError: ${sentence}`)
    for (const name of ['latent', 'schedule', 'audition'])
      expect(await kernel.run(`hasattr(vibeweaver, "${name}")`)).toBe('False')
    expect(await kernel.error('vibeweaver.tempi')).toMatch(/has no attribute 'tempi'$/)
  })
})

describe('an answer of the worker', () => {
  it('that is an error is the module’s exception, without frames of the harness', async () => {
    await using kernel = await ModuleKernel.start('python3', {
      get_rule: () => {
        throw new Refusal('NotFoundError', 'There is no rule "x".')
      },
      tool: () => {
        throw new Refusal('UnavailableError', 'No call is open.')
      },
    })
    expect(await kernel.error('def find():\n    get_rule("x")\nfind()')).toBe(
      [
        'Traceback (most recent call last):',
        '  File "<cell-1>", line 3, in <module>',
        '    find()',
        '  File "<cell-1>", line 2, in find',
        '    get_rule("x")',
        'vibeweaver.NotFoundError: There is no rule "x".',
      ].join('\n'),
    )
    const caught = 'try:\n    tool("t")\nexcept vibeweaver.VibeError as error:\n    kind = type(error).__name__\nkind'
    expect(await kernel.run(caught)).toBe("'UnavailableError'")
  })

  it('can be waited for in threads, tasks, and several at once', async () => {
    await using kernel = await ModuleKernel.start()
    await kernel.run(
      'import threading\nfound = []\nt = threading.Thread(target=lambda: found.append(beat()))\nt.start(); t.join()',
    )
    expect(await kernel.run('found')).toBe('[4.5]')
    expect(await kernel.run('await gather([until_beat(3), sleep_beats(2)])')).toBe('[3.0, 2.0]')
  })

  it('that does not come is withdrawn when the run is interrupted, the task cancelled, a sibling failed', async () => {
    const never = () => new Promise(() => {})
    let withdrawn = 0
    const forever = (_: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => {
        withdrawn += 1
      })
      return never()
    }
    await using kernel = await ModuleKernel.start('python3', {
      transport: forever,
      until_beat: forever,
      wait_event: () => {
        throw new Refusal('LimitError', 'Nothing came within 1 s.')
      },
    })
    for (const code of ['beat()', 'await until_beat(1)']) {
      const asked = kernel.asked.length
      const ended = kernel.execute(code)
      await kernel.until(() => kernel.asked.length > asked)
      kernel.interrupt()
      expect(await ended).toMatchObject({ outcome: 'interrupted' })
      expect((await ended).error).toBe(
        `Traceback (most recent call last):\n  File "<cell-${asked + 1}>", line 1, in <module>\n    ${code}\nKeyboardInterrupt`,
      )
    }
    expect(await kernel.error('await gather([until_beat(1), wait_event("a", 1)])')).toMatch(/LimitError: Nothing came/)
    expect(await kernel.error('await gather([3])')).toMatch(
      /^Traceback .*\n {2}File "<cell-\d>", line 1, in <module>\n {4}await gather\(\[3\]\)\nTypeError: [^\n]*$/,
    )
    expect(withdrawn).toBe(3)
  })

  it('is seen by a waiter that comes after the event, by its cursor; a failed job wakes it', async () => {
    const told: { cursor: string; type: string }[] = []
    await using kernel = await ModuleKernel.start('python3', {
      emit: ({ name }) => {
        told.push({ cursor: `c${told.length + 1}`, type: String(name) })
        return told.at(-1)
      },
      events: () => ({ events: [], cursor: `c${told.length}`, has_more: false, gap: false }),
      wait_event: ({ cursor }) => told[Number(String(cursor).slice(1))],
    })
    const code = 'start = events().cursor\nemit("job.failed")\n(await wait_event("job.*", 5, cursor=start))["type"]'
    expect(await kernel.run(code)).toBe("'job.failed'")
  })

  it('is not waited for where nobody could bring it: in a forked child', async () => {
    await using kernel = await ModuleKernel.start()
    const code = [
      'import os',
      'pid = os.fork()',
      'if pid == 0:',
      '    try:',
      '        beat()',
      '    except vibeweaver.UnavailableError:',
      '        os._exit(42)',
      '    os._exit(1)',
      'os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), beat()',
    ].join('\n')
    expect(await kernel.run(code)).toBe('(42, 4.5)')
  })

  it('is not waited for by a finalizer that runs where nobody could wait', async () => {
    await using kernel = await ModuleKernel.start()
    const code = (during: string) =>
      `bridge = vibeweaver._worker._bridge\n${during}\ntry:\n    beat()\nexcept vibeweaver.UnavailableError as error:\n    said = str(error)\n`
    expect(await kernel.run(`${code('bridge.send_lock.acquire()')}bridge.send_lock.release()\nsaid, beat()`)).toMatch(
      /a finalizer cannot speak to the worker while its thread does\.', 4\.5/,
    )
    const control = 'import threading\nbridge._control = threading.get_ident()'
    expect(await kernel.run(`${code(control)}bridge._control = None\nsaid, beat()`)).toMatch(
      /A finalizer ran on a thread of the harness, which cannot wait\.', 4\.5/,
    )
  })

  it('never deadlocks a finalizer', async () => {
    await using kernel = await ModuleKernel.start()
    const code = [
      'import gc, sys',
      'sys.unraisablehook = lambda hook: None',
      'class Last:',
      '    def __del__(self):',
      '        beat()',
      'def cycle():',
      '    last = Last()',
      '    last.self = last',
      'gc.set_threshold(1, 1, 1)',
      'for i in range(200):',
      '    cycle()',
      '    beat()',
      'gc.set_threshold(700, 10, 10)',
      'beat()',
    ].join('\n')
    expect(await kernel.run(code)).toBe('4.5')
    expect(await kernel.runtime.probe()).toBe(true)
  })
})

describe('the names of the module in cells', () => {
  it('are no names of the user, can be shadowed, and come back', async () => {
    await using kernel = await ModuleKernel.start()
    const none = { added: [], changed: [], deleted: [] }
    expect((await kernel.execute('vibeweaver.beat() + beat()')).names).toEqual(none)
    expect(await kernel.run('[name for name in dir() if not name.startswith("__")]')).toBe('[]')
    expect((await kernel.execute('beat = 3')).names).toEqual({ ...none, added: ['beat'] })
    expect(await kernel.run('beat')).toBe('3')
    expect((await kernel.execute('del beat')).names).toEqual({ ...none, deleted: ['beat'] })
    expect(await kernel.run('beat()')).toBe('4.5')
    await kernel.run('tempo = 1\nx = 2')
    expect(await kernel.runtime.python.clear('names')).toMatchObject({ names: 2 })
    expect(await kernel.run('"x" in globals(), tempo()')).toBe('(False, 120.0)')
  })
})
