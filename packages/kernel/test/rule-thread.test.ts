import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ModuleKernel } from './support/module-kernel.js'

const critical = 0
const normal = 2
const idle = 4

let kernel: ModuleKernel

beforeEach(async () => {
  kernel = await ModuleKernel.start()
  await kernel.run('import threading\ngate = threading.Event()\nseen = []')
})

afterEach(() => kernel[Symbol.asyncDispose]())

/** Holds the thread of rules until the test opens the gate. */
async function block(firing: number, priority = normal): Promise<void> {
  kernel.fire({ firing, priority, code: 'gate.wait(30)', limit_s: 60 })
  await kernel.started(firing)
}

async function endings(...firings: readonly number[]): Promise<readonly unknown[]> {
  const ended = await Promise.all(firings.map((firing) => kernel.ended(firing)))
  return ended.map(({ outcome }) => outcome)
}

const startedInOrder = () => kernel.notices.filter((n) => n.method === 'fire_started').map((n) => n.params.firing)

describe('Python actions of rules', () => {
  it('run during a long cell, whether it sleeps or computes', async () => {
    for (const [firing, body] of [
      [1, 'gate.wait(30)'],
      [2, 'pass'],
    ] as const) {
      const running = kernel.execute(`print("in")\nwhile len(seen) < ${firing}: ${body}`)
      await kernel.until(() => kernel.output.split('in').length > firing)
      kernel.fire({ firing, code: 'seen.append(1); gate.set()' })
      expect(await running).toMatchObject({ outcome: 'ok' })
    }
  })

  it('start with critical, then normal, then idle at one beat, in whichever order they were told', async () => {
    for (const [firing, priority] of [idle, normal, critical].entries())
      kernel.fire({ firing, priority, target_beat: 8, delay_s: 0.1, code: 'pass' })
    expect(await endings(0, 1, 2)).toEqual(['ok', 'ok', 'ok'])
    expect(startedInOrder()).toEqual([2, 1, 0])
  })

  it('start by their due instant before their priority, and by arrival last', async () => {
    kernel.fire({ firing: 1, target_beat: 9, delay_s: 0.3, priority: 1, code: 'pass' })
    kernel.fire({ firing: 2, target_beat: 8, delay_s: 0.1, priority: 3, code: 'pass' })
    kernel.fire({ firing: 3, target_beat: 8, delay_s: 0.1, priority: 3, code: 'pass' })
    await endings(1, 2, 3)
    expect(startedInOrder()).toEqual([2, 3, 1])
  })

  it('do not delay a critical one when a normal one is blocked; other ones wait', async () => {
    await block(1)
    kernel.fire({ firing: 2, code: 'seen.append("normal")' })
    kernel.fire({ firing: 3, priority: critical, code: 'seen.append("critical")' })
    expect(await endings(3)).toEqual(['ok'])
    expect(await kernel.run('seen')).toBe("['critical']")
    await kernel.run('gate.set()')
    expect(await endings(1, 2)).toEqual(['ok', 'ok'])
  })

  it('run one at a time: nothing starts beside a critical one, and no second critical one', async () => {
    await block(1, critical)
    kernel.fire({ firing: 2, priority: critical, code: 'seen.append(2)' })
    kernel.fire({ firing: 3, code: 'seen.append(3)' })
    expect(await kernel.run('seen')).toBe('[]')
    await kernel.run('gate.set()')
    expect(await endings(2, 3)).toEqual(['ok', 'ok'])
    expect(await kernel.run('seen')).toBe('[2, 3]')
  })

  it('of priority idle wait until no cell runs, and then only the latest does', async () => {
    const running = kernel.execute('print("in")\ngate.wait(30)')
    await kernel.until(() => kernel.output.includes('in'))
    for (const firing of [1, 2, 3]) kernel.fire({ firing, priority: idle, code: `seen.append(${firing})` })
    expect(await endings(1, 2)).toEqual(['missed', 'missed'])
    kernel.fire({ firing: 4, code: 'gate.set()' })
    await running
    expect(await endings(3)).toEqual(['ok'])
    expect(await kernel.run('seen')).toBe('[3]')
  })

  it('are told with their true lateness, and not started when too late', async () => {
    await block(1)
    kernel.fire({ firing: 2, max_late_s: 0.000001, code: 'seen.append(2)' })
    kernel.fire({ firing: 3, code: 'pass' })
    await kernel.run('import time\ntime.sleep(0.02)\ngate.set()')
    expect(await endings(1, 2, 3)).toEqual(['ok', 'late', 'ok'])
    const late = kernel.notices.find((n) => n.method === 'fire_started' && n.params.firing === 3)?.params.late_s
    expect(late).toBeGreaterThan(0.02)
    expect(startedInOrder()).toEqual([1, 3])
  })

  it('that have not started are revoked with their generation, or with their rule', async () => {
    kernel.fire({ firing: 1, generation: 1, delay_s: 60, code: 'pass' })
    kernel.fire({ firing: 2, generation: 2, delay_s: 60, code: 'pass' })
    kernel.fire({ firing: 3, generation: 2, delay_s: 60, rule_id: 'other', code: 'pass' })
    kernel.runtime.python.tell('revoke', { generation: 1 })
    expect(await endings(1)).toEqual(['revoked'])
    kernel.runtime.python.tell('forget_rules', { ids: ['rule-1'] })
    expect(await endings(2)).toEqual(['revoked'])
    expect(kernel.notices).toHaveLength(2)
  })

  it('tell what went wrong, and the thread goes on', async () => {
    await kernel.run('@on_beat(1)\ndef fail(beat):\n    {}["missing"]')
    kernel.fire({ firing: 1, target_beat: 1 })
    expect((await kernel.ended(1)).detail).toMatch(
      /^Traceback \(most recent call last\):\n {2}File "<cell-2>", line 3, in fail\n {4}\{\}\["missing"\]\n[ ~^\n]*KeyError: 'missing'$/,
    )
    kernel.fire({ firing: 2, code: 'raise SystemExit(1)' })
    kernel.fire({ firing: 3, code: 'raise KeyboardInterrupt' })
    kernel.fire({ firing: 4, code: 'class E(BaseException): pass\nraise E("x" * 100_000 + "end")' })
    kernel.fire({ firing: 5, code: 'syntax error' })
    kernel.fire({ firing: 6, code: 'seen.append(6)' })
    expect(await endings(2, 3, 4, 5, 6)).toEqual(['error', 'error', 'error', 'error', 'ok'])
    expect((await kernel.ended(4)).detail).toMatch(/xend$/)
    expect((await kernel.ended(4)).detail!.length).toBeLessThan(5_000)
    expect((await kernel.ended(5)).detail).toMatch(/SyntaxError/)
  })

  it('are unbound when their function is not here', async () => {
    kernel.fire({ firing: 1, rule_id: 'of an earlier kernel' })
    expect(await endings(1)).toEqual(['unbound'])
    expect(startedInOrder()).toEqual([])
  })

  it('may call everything: registering a rule in a callback does not deadlock', async () => {
    await kernel.run('@on_beat(1)\ndef outer(beat):\n    @on_beat(2)\n    def inner(beat):\n        seen.append(beat)')
    kernel.fire({ firing: 1, rule_id: 'rule-1', target_beat: 1 })
    expect(await endings(1)).toEqual(['ok'])
    kernel.fire({ firing: 2, rule_id: 'rule-2', target_beat: 2 })
    expect(await endings(2)).toEqual(['ok'])
    expect(await kernel.run('seen')).toBe('[2.0]')
  })

  it('say which firing asks, so that the worker can see chains of rules', async () => {
    const asked: unknown[] = []
    kernel.answers['emit'] = ({ name }, { firing }) => asked.push([name, firing]) && { type: name }
    kernel.fire({ firing: 7, code: 'emit("callback")' })
    kernel.fire({ firing: 8, code: 'async def nested():\n    emit("async")\nawait nested()' })
    expect(await endings(7, 8)).toEqual(['ok', 'ok'])
    await kernel.run('emit("cell")')
    expect(asked).toEqual([
      ['callback', 7],
      ['async', 8],
      ['cell', null],
    ])
  })

  it('are bound before the first firing, however soon it follows the registration', async () => {
    const rule = kernel.answers['rule']!
    let firing = 0
    kernel.answers['rule'] = (params, request) => {
      const answer = rule(params, request) as { id: string }
      request.resolve(answer)
      kernel.fire({ firing: ++firing, rule_id: answer.id })
      return answer
    }
    await kernel.run('for i in range(50):\n    rule("after:0s", lambda fire: None)')
    const all = Array.from({ length: 50 }, (_, index) => index + 1)
    expect(await endings(...all)).toEqual(all.map(() => 'ok'))
  })

  it('are stopped at limit_s, also while they wait for the worker, and when they swallow it', async () => {
    kernel.answers['transport'] = () => new Promise(() => {})
    kernel.fire({ firing: 1, limit_s: 0.05, code: 'beat()' })
    expect((await kernel.ended(1)).detail).toMatch(/beat\(\)\nLimitError: it ran for more than limit_s, 0\.05 s$/)
    const swallow =
      'def spin():\n    while True: len("")\ntry:\n    spin()\nexcept BaseException:\n    seen.append("swallowed")'
    kernel.fire({ firing: 2, limit_s: 0.05, code: swallow })
    expect(await endings(2)).toEqual(['error'])
    kernel.fire({ firing: 3, limit_s: 0.05, code: 'import asyncio\nawait asyncio.sleep(60)' })
    expect((await kernel.ended(3)).detail).toMatch(
      /line 2, in <module>\n.*await asyncio.sleep\(60\)\n[\s\S]*LimitError: [^\n]*$/,
    )
    expect(await kernel.run('seen')).toBe("['swallowed']")
  }, 20_000)

  it('are over with a reset of the names: none runs on, waits, or is bound', async () => {
    await kernel.run('@on_beat(1)\ndef f(beat): pass')
    kernel.fire({ firing: 1, code: 'while True: len("")', limit_s: 60 })
    await kernel.started(1)
    kernel.fire({ firing: 2, code: 'pass', delay_s: 60 })
    expect(await kernel.runtime.python.clear('names')).toBeDefined()
    expect(await endings(1, 2)).toEqual(['error', 'revoked'])
    expect((await kernel.ended(1)).detail).toMatch(/Cancelled: the kernel was reset$/)
    kernel.fire({ firing: 3, target_beat: 1 })
    expect(await endings(3)).toEqual(['unbound'])
  })
})

describe('names of rules', () => {
  const named = () => kernel.asked.filter(([method]) => method === 'rule').map(([, params]) => params)

  it('are those of the functions, so that a cell run twice replaces; a second decorator adds its trigger', async () => {
    const cell = '@on_marker("drop")\n@on_beat(1)\ndef f(*args): pass'
    await kernel.run(cell)
    await kernel.run(cell)
    expect(named()).toMatchObject([
      { name: 'f', trigger: 'beat:1', action: 'call:f', source: cell },
      { name: 'f marker:drop', trigger: 'marker:drop' },
      { name: 'f', trigger: 'beat:1' },
      { name: 'f marker:drop', trigger: 'marker:drop' },
    ])
  })

  it('are chosen by the worker for what has none', async () => {
    await kernel.run('rule("beat:4", lambda fire: None)\nrule("beat:4", "play")\nrule("beat:0.5", "play", name="mine")')
    expect(named().map((params) => (params as { name?: string }).name)).toEqual([undefined, undefined, 'mine'])
  })
})
