import { describe, expect, it } from 'vitest'
import { ProgressReport, type Timers } from '../src/kernel/progress-report.js'
import { RunOutput } from '../src/output/run-output.js'

/** A clock that only the test moves. */
class TestTimers implements Timers {
  #now = 0
  #due: { at: number; callback: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback }
    this.#due.push(timer)
    return () => {
      this.#due = this.#due.filter((other) => other !== timer)
    }
  }

  get pending(): number {
    return this.#due.length
  }

  pass(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#due = this.#due.filter((other) => other !== next)
      this.#now = next.at
      next.callback()
    }
    this.#now = end
  }
}

function open() {
  const timers = new TestTimers()
  const sent: { readonly at: number; readonly message: string }[] = []
  const report: ProgressReport = new ProgressReport(
    (seconds, message) => sent.push({ at: seconds * 1000, message }),
    () => output,
    timers,
  )
  const output = new RunOutput(() => report.changed())
  return { timers, sent, report, output, write: (text: string) => output.push('stdout', Buffer.from(text)) }
}

describe('progress', () => {
  it('comes once per 250 ms while output changes, each message with all that it needs', () => {
    const { timers, sent, write } = open()
    for (let i = 0; i < 100; i += 1) {
      write(`${i}\n`)
      timers.pass(10)
    }
    expect(sent.map(({ at }) => at)).toEqual([250, 500, 750, 1000])
    expect(sent[0]!.message).toMatch(/^\[stdout from byte 0; weave_peek goes on at offset 65\]\n0\n1\n/)
  })

  it('carries at most 4 KiB: the end, whole characters, and where it begins', () => {
    const { timers, sent, write } = open()
    write('€'.repeat(5000))
    timers.pass(250)
    const [, from, next, text] = /^\[stdout from byte (\d+); weave_peek goes on at offset (\d+)\]\n(.*)$/.exec(
      sent[0]!.message,
    )!
    expect(Buffer.byteLength(sent[0]!.message)).toBeLessThanOrEqual(4096)
    expect(text).toMatch(/^€+$/)
    expect(Number(from) + Buffer.byteLength(text!)).toBe(15_000)
    expect(Number(next)).toBeLessThanOrEqual(15_000)
  })

  it('shares the room between the streams', () => {
    const { timers, sent, output } = open()
    output.push('stdout', Buffer.alloc(10_000, 'o'))
    output.push('stderr', Buffer.alloc(10_000, 'e'))
    timers.pass(250)
    output.push('stdout', Buffer.from('\r\n'))
    timers.pass(250)
    for (const { message } of sent) {
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096)
      expect(message).toMatch(/o{1900}/)
      expect(message).toMatch(/e{1900}/)
    }
  })

  it('gives a stream the room that the other leaves', () => {
    const { timers, sent, output } = open()
    output.push('stdout', Buffer.alloc(10_000, 'o'))
    output.push('stderr', Buffer.from('warning'))
    timers.pass(250)
    expect(Buffer.byteLength(sent[0]!.message)).toBeLessThanOrEqual(4096)
    expect(sent[0]!.message).toMatch(/o{3700}/)
    expect(sent[0]!.message).toContain('warning')
  })

  it('is a sign of life every 5 s of silence', () => {
    const { timers, sent, write } = open()
    timers.pass(10_000)
    write('x')
    timers.pass(5_250)
    expect(sent.map(({ at }) => at)).toEqual([5_000, 10_000, 10_250, 15_250])
    expect(sent[1]!.message).toBe('running for 10 s')
  })

  it('ends with the run', () => {
    const { timers, sent, report, write } = open()
    write('x')
    report.stop()
    write('y')
    report.stop()
    timers.pass(60_000)
    expect(sent).toEqual([])
    expect(timers.pending).toBe(0)
  })
})
