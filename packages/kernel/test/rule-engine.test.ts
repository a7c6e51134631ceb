import { describe, expect, it } from 'vitest'
import { Rehearsal } from './support/rehearsal.js'

// 120 bpm, so a beat lasts half a second; play at 0 unless a test says otherwise.

describe('the clock', () => {
  it('keeps the beat through a tempo change: 2 at 1 s, 4 before and after tempo(60) at 2 s, 5 at 3 s', () => {
    const piece = new Rehearsal()
    piece.play()
    piece.runTo(1)
    expect(piece.beat).toBe(2)
    piece.runTo(2)
    expect(piece.beat).toBe(4)
    piece.tempo(60)
    expect(piece.beat).toBe(4)
    piece.runTo(3)
    expect(piece.beat).toBe(5)
  })

  it('lets code wait for a beat across a pause', () => {
    const piece = new Rehearsal()
    piece.step({ type: 'wait', id: 1, target: { beat: 4 } })
    piece.play()
    piece.runTo(1)
    piece.command({ do: 'pause' })
    piece.runTo(100)
    expect(piece.effects).not.toContainEqual({ type: 'reached', id: 1 })
    piece.play()
    piece.runTo(101)
    expect(piece.effects).toContainEqual({ type: 'reached', id: 1 })
  })

  it('lets code wait for a number of beats across a seek and laps', () => {
    const piece = new Rehearsal()
    piece.play()
    piece.loop(0, 4)
    piece.step({ type: 'wait', id: 1, target: { played: 10 } })
    piece.runTo(2.1)
    piece.seek(1)
    piece.runTo(4.9)
    expect(piece.effects).not.toContainEqual({ type: 'reached', id: 1 })
    piece.runTo(5)
    expect(piece.effects).toContainEqual({ type: 'reached', id: 1 })
  })
})

describe.each(['call:a', 'emit:a'])('crossing a beat, with %s', (action) => {
  const playing = () => {
    const piece = new Rehearsal()
    piece.play()
    return piece
  }
  const playingFour = () => {
    const piece = new Rehearsal()
    piece.rule('a', 'beat:4', action)
    piece.play()
    return piece
  }

  it('beat:4, ticks at 3.9 and 4.3: one firing, target 4', () => {
    const piece = playing()
    piece.tickAt(1.95)
    piece.rule('a', 'beat:4', action)
    piece.tickAt(2.15)
    expect(piece.beats('a')).toEqual([4])
  })

  it('beat:4, ticks at 4.00, 4.05, 4.09: one firing', () => {
    const piece = playing()
    piece.tickAt(1)
    piece.rule('a', 'beat:4', action)
    for (const beat of [4, 4.05, 4.09]) piece.tickAt(beat / 2)
    expect(piece.beats('a')).toEqual([4])
  })

  it('beat:1, ticks at 3.9 and 7.2: 4, 5, 6, 7 in order', () => {
    const piece = playing()
    piece.tickAt(1.95)
    piece.rule('a', 'beat:1', action)
    piece.tickAt(3.6)
    expect(piece.beats('a')).toEqual([4, 5, 6, 7])
  })

  it('beat:4 from stop: 0, 4, 8; with offset 1: 1, 5, 9', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'beat:4', action)
    piece.rule('b', 'beat:4+1', action)
    piece.play()
    piece.runTo(4.6)
    expect(piece.beats('a')).toEqual([0, 4, 8])
    expect(piece.beats('b')).toEqual([1, 5, 9])
  })

  it('a pause just after 8 has fired, then play: 8 not again', () => {
    const piece = playingFour()
    piece.runTo(4)
    piece.command({ do: 'pause' })
    piece.runTo(5)
    piece.play()
    piece.runTo(6)
    expect(piece.beats('a')).toEqual([0, 4, 8])
    piece.runTo(7)
    expect(piece.times('a').at(-1)).toBe(7)
  })

  it('seek(16) at 3, beat:4: 16; not 4, 8, 12', () => {
    const piece = playingFour()
    piece.runTo(1.5)
    piece.seek(16)
    piece.runTo(1.6)
    expect(piece.beats('a')).toEqual([0, 16])
  })

  it('loop(0, 4), beat:1: 0 1 2 3 0 1 2 3; never 4', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'beat:1', action)
    piece.loop(0, 4)
    piece.play()
    piece.runTo(3.9)
    expect(piece.beats('a')).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
  })

  it('a loop that one late tick has run through many times: the first 32 fire, the rest is counted as missed', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'beat:1', action)
    piece.loop(0, 4)
    piece.play()
    piece.tickAt(50)
    expect(piece.beats('a').slice(0, 6)).toEqual([0, 1, 2, 3, 0, 1])
    expect(piece.beats('a')).toHaveLength(33)
    // 0 to 100, of which 0 fired when it began and 32 in this pass.
    expect(rule.missedCount).toBe(101 - 33)
    piece.runTo(50.6)
    expect(piece.beats('a').at(-1)).toBe(1)
  })

  it('at:16, lead_s 2: starts at beat 12', () => {
    const piece = playing()
    piece.rule('a', 'at:16', action, { leadS: 2 })
    piece.runTo(20)
    expect(piece.times('a')).toEqual([6])
    expect(piece.beats('a')).toEqual([16])
  })

  it('at:16, lead_s 2, tempo(60) at beat 8: starts at beat 14', () => {
    const piece = playing()
    piece.rule('a', 'at:16', action, { leadS: 2 })
    piece.runTo(4)
    piece.tempo(60)
    piece.runTo(9.9)
    expect(piece.fired).toEqual([])
    piece.runTo(30)
    expect(piece.times('a')).toEqual([10])
  })

  it('a lead that has begun does not begin again when the tempo falls', () => {
    const piece = playing()
    piece.rule('a', 'at:16', action, { leadS: 2, maxFires: 9 })
    piece.runTo(6.5)
    piece.tempo(60)
    piece.runTo(30)
    expect(piece.times('a')).toEqual([6])
  })

  it('a seek into the lead: at once, and truly late', () => {
    const piece = playing()
    piece.rule('a', 'at:16', action, { leadS: 2 })
    piece.runTo(1)
    piece.seek(15)
    piece.runTo(1)
    expect(piece.times('a')).toEqual([1])
    expect(piece.logs('a')[0]?.outcome).toBe('ok')
    if (action !== 'call:a') expect(piece.logs('a')[0]?.lateS).toBeCloseTo(1.5)
  })

  it('a marker moved from 32 to 64 at beat 20: fires at 64 only', () => {
    const piece = playing()
    piece.marker('drop', 32)
    piece.rule('a', 'marker:drop', action)
    piece.runTo(10)
    piece.marker('drop', 64)
    piece.runTo(40)
    expect(piece.beats('a')).toEqual([64])
    expect(piece.times('a')).toEqual([32])
  })

  it('every:2s, cooldown_s 5: at 2, 8, 14 s; 4, 6, 10, 12 suppressed', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'every:2s', action, { cooldownS: 5 })
    piece.runTo(14)
    expect(piece.times('a')).toEqual([2, 8, 14])
    expect(rule.suppressedCount).toBe(4)
    expect(piece.logs('a').map(({ outcome }) => outcome)).toEqual([
      'ok',
      'suppressed',
      'suppressed',
      'ok',
      'suppressed',
      'suppressed',
      'ok',
    ])
  })
})

describe('order', () => {
  it('idle, normal, critical at beat 8: critical, normal, idle', () => {
    const piece = new Rehearsal()
    piece.rule('idle', 'at:8', 'call:f', { priority: 'idle' })
    piece.rule('normal', 'at:8', 'call:f')
    piece.rule('critical', 'at:8', 'call:f', { priority: 'critical' })
    piece.play()
    piece.runTo(5)
    expect(piece.fired.map(({ rule }) => rule)).toEqual(['critical', 'normal', 'idle'])
  })

  it('priority sorts by number, not by text, and the due instant comes first', () => {
    const piece = new Rehearsal()
    for (const priority of ['low', 'critical', 'high', 'normal', 'idle'] as const) {
      piece.rule(priority, 'at:8', 'emit:x', { priority })
    }
    piece.rule('earlier', 'at:7.5', 'emit:x', { priority: 'idle' })
    piece.play()
    piece.tickAt(5)
    expect(piece.fired.map(({ rule }) => rule)).toEqual(['earlier', 'critical', 'high', 'normal', 'low', 'idle'])
  })

  it('equal instant and priority: by creation', () => {
    const piece = new Rehearsal()
    for (const name of ['b', 'a', 'c']) piece.rule(name, 'at:8', 'emit:x')
    piece.play()
    piece.runTo(5)
    expect(piece.fired.map(({ rule }) => rule)).toEqual(['b', 'a', 'c'])
  })

  it('an action that seeks takes what is after it at the same beat with it', () => {
    const piece = new Rehearsal()
    piece.rule('back', 'at:8', 'seek:0', { priority: 'critical', maxFires: 1 })
    piece.rule('a', 'beat:4', 'emit:x')
    piece.play()
    piece.runTo(4.1)
    expect(piece.beats('a')).toEqual([0, 4, 0])
  })

  it('an idle rule waits until no cell runs, and comes once', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'beat:1', 'call:f', { priority: 'idle' })
    piece.step({ type: 'cells', running: true })
    piece.play()
    piece.runTo(3.2)
    expect(piece.fired).toEqual([])
    piece.step({ type: 'cells', running: false })
    piece.runTo(3.3)
    expect(piece.beats('a')).toEqual([6])
    expect(rule.suppressedCount).toBe(6)
  })
})

describe('handing out to the kernel', () => {
  const handed = (piece: Rehearsal) => piece.effects.filter((effect) => effect.type === 'hand_out')

  it('50 ms ahead, with the delay that remains', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'at:4')
    piece.play()
    expect(piece.engine.nextDeadline()).toBeCloseTo(1950)
    piece.tickAt(1.96)
    expect(handed(piece)).toHaveLength(1)
    expect(handed(piece)[0]?.delayMs).toBeCloseTo(40)
    expect(handed(piece)[0]).toMatchObject({ targetBeat: 4, generation: piece.engine.transport.generation })
    expect(piece.fired).toEqual([])
  })

  it('takes back what has not begun when the clock changes, and hands it out anew for its new instant', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'at:4')
    piece.play()
    piece.runTo(1.96)
    piece.tempo(60)
    piece.runTo(10)
    expect(piece.times('a')).toEqual([2.04])
    expect(rule.firedCount).toBe(1)
    expect(piece.effects.filter((effect) => effect.type === 'revoke')).toHaveLength(1)
  })

  it('does not hand it out again when it says that it had begun', () => {
    const piece = new Rehearsal()
    piece.runs = 'open'
    piece.rule('a', 'beat:4')
    piece.play(1)
    piece.runTo(1.49)
    piece.answersAfterS = 1
    const [effect] = handed(piece)
    // Its notice and the revocation cross.
    piece.command({ do: 'pause' })
    piece.step({ type: 'fire_started', firing: effect!.firing, late_s: 0 })
    piece.step({ type: 'fire_ended', firing: effect!.firing, outcome: 'ok', detail: null })
    piece.play()
    piece.runTo(2.9)
    expect(handed(piece)).toHaveLength(1)
    piece.runTo(3.6)
    expect(handed(piece).map(({ targetBeat }) => targetBeat)).toEqual([4, 8])
  })

  it('a firing that a pause took back comes when the clock goes on', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'at:4')
    piece.play()
    piece.runTo(1.96)
    piece.command({ do: 'pause' })
    piece.runTo(5)
    expect(piece.fired).toEqual([])
    piece.play()
    piece.runTo(6)
    expect(piece.times('a')).toEqual([5.04])
  })

  it('a firing that a seek took back does not come', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'at:4')
    piece.play()
    piece.runTo(1.96)
    piece.seek(5)
    piece.runTo(10)
    expect(piece.fired).toEqual([])
    expect(piece.engine.rule('a')).toMatchObject({ firedCount: 0, status: 'active' })
  })

  it('what was taken back does not stand for one that runs', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'beat:4')
    piece.play()
    piece.runTo(1.96)
    piece.answersAfterS = 1
    piece.seek(7.9)
    piece.runTo(2.1)
    expect(piece.beats('a')).toEqual([0, 8])
    expect(rule.suppressedCount).toBe(0)
  })

  it('a change of tempo in a later lap, just before its end, loses nothing of the laps to come', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'beat:2')
    piece.loop(0, 4)
    piece.play()
    piece.runTo(5.97)
    piece.tempo(240)
    piece.runTo(8.1)
    expect(piece.beats('a')).toEqual([0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0])
  })

  it('the start of the next lap that was handed out does not come when the loop goes', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'beat:4')
    piece.loop(0, 4)
    piece.play()
    piece.runTo(1.96)
    piece.command({ do: 'loop', loop: null })
    piece.runTo(4.1)
    expect(piece.beats('a')).toEqual([0, 4, 8])
    expect(piece.times('a')).toEqual([0, 2, 4])
  })

  it('a new loop takes what lies beyond its end off the line', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'beat:4')
    piece.play()
    piece.runTo(1.96)
    piece.loop(0, 4)
    piece.runTo(4.1)
    expect(piece.beats('a')).toEqual([0, 0, 0])
  })

  it('what stands beside a changed rule comes back and fires at its instant', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'at:4')
    piece.rule('b', 'at:4')
    piece.play()
    piece.runTo(1.96)
    piece.step({ type: 'rule_removed', id: 'a' })
    piece.runTo(3)
    expect(piece.fired).toMatchObject([{ rule: 'b', at: 2 }])
  })

  it('time rules that a tempo change took back come nevertheless', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'every:2s')
    piece.runTo(1.97)
    piece.tempo(60)
    piece.play()
    piece.runTo(4.5)
    expect(piece.times('a')).toEqual([2, 4])
  })
})

describe('limits', () => {
  it('a rule whose last firing still runs is suppressed', () => {
    const piece = new Rehearsal()
    piece.runs = 'open'
    const rule = piece.rule('a', 'beat:1')
    piece.play()
    piece.runTo(1.2)
    expect(piece.beats('a')).toEqual([0])
    expect(rule.suppressedCount).toBe(2)
    piece.finish()
    piece.runTo(1.5)
    expect(piece.beats('a')).toEqual([0, 3])
  })

  it('max_fires: done, and silent', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'beat:1', 'emit:x', { maxFires: 2 })
    piece.play()
    piece.runTo(5)
    expect(piece.beats('a')).toEqual([0, 1])
    expect(rule).toMatchObject({ status: 'done', firedCount: 2 })
    expect(piece.engine.nextDeadline()).toBeUndefined()
  })

  it('max_late_s: logged as late, not fired', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'at:4', 'emit:x', { maxLateS: 0.1 })
    piece.play()
    piece.tickAt(2.2)
    expect(piece.fired).toEqual([])
    expect(piece.logs('a')).toMatchObject([{ outcome: 'late' }])
  })

  it('three errors in a row disable a rule; a success between them does not let it come to that', () => {
    const piece = new Rehearsal()
    piece.runs = 'open'
    const rule = piece.rule('a', 'event:x')
    for (const outcome of ['error', 'error', 'ok', 'error', 'error'] as const) {
      piece.event('x')
      piece.finish(outcome)
    }
    expect(rule).toMatchObject({ enabled: true, status: 'active', errorCount: 2 })
    piece.event('x')
    piece.finish('error')
    expect(rule).toMatchObject({ enabled: false, status: 'errored', lastError: 'ValueError: no' })
    piece.event('x')
    expect(piece.fired).toHaveLength(6)
  })

  it('tool: without a live call is logged, and is no error', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'event:x', 'tool:clock {"zone": "UTC"}')
    for (let index = 0; index < 4; index += 1) {
      piece.event('x')
      const call = piece.effects.filter((effect) => effect.type === 'call_tool').at(-1)!
      expect(call).toMatchObject({ name: 'clock', arguments: { zone: 'UTC' } })
      piece.step({ type: 'tool_ended', firing: call.firing, outcome: 'unavailable', detail: 'UnavailableError: none' })
    }
    expect(rule).toMatchObject({ enabled: true, errorCount: 0 })
    expect(piece.logs('a').at(-1)).toMatchObject({ outcome: 'error', detail: 'UnavailableError: none' })
  })

  it('a chain of firings ends after eight', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'beat:16', 'seek:16')
    piece.play(16)
    expect(rule).toMatchObject({ firedCount: 8, suppressedCount: 1 })
    expect(piece.logs('a').at(-1)?.detail).toMatch(/^LimitError/)
    piece.rule('b', 'event:x', 'emit:x')
    piece.event('x', null, 7)
    piece.event('x', null, 8)
    expect(piece.logs('b')).toMatchObject([{ outcome: 'ok' }, { outcome: 'suppressed' }])
  })

  it('a hundred firings within a second, then LimitError in the log; the next second is free again', () => {
    const piece = new Rehearsal()
    const rule = piece.rule('a', 'event:x', 'emit:y')
    for (let index = 0; index < 150; index += 1) piece.event('x')
    expect(rule).toMatchObject({ firedCount: 100, suppressedCount: 50 })
    expect(piece.logs('a').at(-1)?.detail).toMatch(/^LimitError/)
    piece.runTo(1.001)
    piece.event('x')
    expect(rule.firedCount).toBe(101)
  })
})

describe('without a kernel', () => {
  it('data actions go on and Python actions are missed: a rule never starts a kernel', () => {
    const piece = new Rehearsal({ kernel: false })
    const code = piece.rule('a', 'beat:4', 'eval:x += 1')
    piece.rule('b', 'beat:4', 'emit:x')
    piece.play()
    piece.runTo(2.5)
    expect(code).toMatchObject({ firedCount: 0, missedCount: 2, status: 'active', enabled: true })
    expect(piece.beats('b')).toEqual([0, 4])
  })

  it('its end: what runs has failed, what waits is missed, functions are unbound until registered again', () => {
    const piece = new Rehearsal()
    piece.runs = 'open'
    const running = piece.rule('running', 'at:1')
    const waiting = piece.rule('waiting', 'at:2', 'eval:1', { maxFires: 9 })
    piece.play()
    piece.runTo(0.97)
    piece.step({ type: 'kernel', present: false })
    expect(piece.logs('running')).toMatchObject([{ outcome: 'error' }])
    expect(piece.logs('waiting')).toMatchObject([{ outcome: 'missed' }])
    expect([running.status, waiting.status]).toEqual(['done', 'active'])
    const bound = piece.rule('bound', 'at:8')
    piece.step({ type: 'callbacks_lost' })
    expect(bound.status).toBe('unbound')
    piece.step({ type: 'kernel', present: true })
    piece.runTo(5)
    expect(piece.beats('bound')).toEqual([])
  })
})

describe('rules that count time', () => {
  it('run whether the transport plays or not', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'every:2.5s', 'emit:x')
    const once = piece.rule('b', 'after:10s', 'emit:x')
    piece.runTo(11)
    expect(piece.times('a')).toEqual([2.5, 5, 7.5, 10])
    expect(piece.times('b')).toEqual([10])
    expect(once.status).toBe('done')
  })

  it('an overdue `after` fires once and says how late; `every` skips what it missed', () => {
    const piece = new Rehearsal()
    piece.now = 100
    const after = { ...piece.rule('a', 'after:1s', 'emit:x'), dueMs: 40_000 }
    const every = { ...piece.rule('b', 'every:30s', 'emit:x'), dueMs: 35_000 }
    piece.step({ type: 'rule_set', rule: after })
    piece.step({ type: 'rule_set', rule: every })
    expect(piece.logs('a')).toMatchObject([{ outcome: 'ok', lateS: 60 }])
    expect(piece.logs('b')).toEqual([])
    piece.runTo(130)
    expect(piece.times('b')).toEqual([125])
    expect(piece.times('a')).toEqual([100])
  })

  it('do not make up for the time in which they were disabled', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'every:1s', 'emit:x')
    piece.runTo(1.5)
    piece.step({ type: 'rule_enabled', id: 'a', enabled: false })
    piece.runTo(10.5)
    piece.step({ type: 'rule_enabled', id: 'a', enabled: true })
    piece.runTo(12)
    expect(piece.times('a')).toEqual([1, 11, 12])
  })
})

describe('events and hands', () => {
  it('hears what fits its pattern and filter', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'event:job.*', 'emit:x', { where: { ok: true, tag: 'drums' } })
    piece.event('job.completed', { ok: true, tag: ['bass', 'drums'] })
    piece.event('job.completed', { ok: false, tag: 'drums' })
    piece.event('jobs', { ok: true, tag: 'drums' })
    expect(piece.fired).toHaveLength(1)
  })

  it('a disabled rule does not fire, by hand it does', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'beat:1', 'call:f', { enabled: false })
    piece.play()
    piece.runTo(3)
    expect(piece.fired).toEqual([])
    piece.step({ type: 'rule_fired', id: 'a', depth: 0 })
    piece.runTo(3.01)
    expect(piece.beats('a')).toEqual([null])
  })

  it('a removed rule and a cleared session are silent', () => {
    const piece = new Rehearsal()
    piece.rule('a', 'beat:1', 'emit:x')
    piece.step({ type: 'rule_removed', id: 'a' })
    piece.rule('b', 'beat:1', 'emit:x')
    piece.tempo(90)
    piece.play()
    piece.step({ type: 'cleared' })
    expect(piece.engine.transport).toMatchObject({ state: 'stopped', anchorBeat: 0, bpm: 120 })
    expect(piece.engine.rules).toEqual([])
    expect(piece.engine.nextDeadline()).toBeUndefined()
  })
})
