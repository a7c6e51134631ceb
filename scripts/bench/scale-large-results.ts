import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { spreadOf } from '../chaos/spread.js'
import { type CallLines, callText } from './call-lines.js'
import { median, until } from './growth.js'
import { atMost, type Experiment, type Outcome, type Row, type ScaleSettings } from './scale-experiment.js'
import { ScaleStage } from './scale-stage.js'

const kinds = [
  { name: 'trusted', tool: 'kernel_large', goalMs: 20 },
  { name: 'checked', tool: 'stranger_large', goalMs: 40 },
] as const
/** A call's p99 needs some hundred of them, and a window some large results. */
const windowFactor = 4

export const scaleLargeResults: Experiment = {
  name: 'large-results',
  summary: 'how long small calls wait while another agent gets results of 4 MiB',
  play,
}

async function play(settings: ScaleSettings): Promise<Outcome> {
  settings.say('large results')
  await using stage = await ScaleStage.empty()
  await stage.workers('kernel', { isTrusted: true })
  await stage.workers('stranger', {})
  // Whoever is timed has a worker to itself.
  await stage.workers('scale', { count: 1 })
  const agent = await stage.agent()
  const others = []
  for (const { tool } of kinds) others.push(await LargeAsker.start(stage.hub.socket, tool))
  const windowMs = settings.windowMs * windowFactor
  await quietWindow(agent, windowMs)
  const windows: Windows[] = kinds.map(() => ({ quiet: [], loaded: [], answers: [], cpu: [] }))
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const [index, asker] of others.entries()) {
      const { quiet, loaded, answers, cpu } = windows[index]!
      quiet.push(await quietWindow(agent, windowMs))
      const before = await stage.probe.cpuMicros()
      asker.go()
      loaded.push(await quietWindow(agent, windowMs))
      answers.push(await asker.stop())
      cpu.push((await stage.probe.cpuMicros()) - before)
    }
  }
  for (const asker of others) asker.end()
  return outcomeOf(windows)
}

interface Windows {
  readonly quiet: Window[]
  readonly loaded: Window[]
  /** Large ones, per window. */
  readonly answers: number[]
  readonly cpu: number[]
}

type Window = ReturnType<typeof spreadOf>

async function quietWindow(agent: CallLines, windowMs: number): Promise<Window> {
  const text = callText('scale_0_say_0', { text: 'small' })
  return spreadOf(await agent.loop(1, () => text, until(windowMs)))
}

function outcomeOf(windows: readonly Windows[]): Outcome {
  const rows: Row[] = windows.flatMap(({ quiet, loaded, answers, cpu }, index) => {
    const what = `a small call, 4 MiB ${kinds[index]!.name}`
    const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
    const large = { 'large results': sum(answers), 'CPU ms/window': median(cpu) / 1_000 }
    return [
      { what: `${what}: quiet`, count: quiet.length, figures: spreads(quiet) },
      { what: `${what}: meanwhile`, count: loaded.length, figures: { ...spreads(loaded), ...large } },
    ]
  })
  const extra = ({ quiet, loaded }: Windows, key: keyof Window) =>
    median(loaded.map((window, round) => window[key] - quiet[round]![key]))
  return {
    rows,
    checks: windows.flatMap((each, index) => {
      const { name, goalMs } = kinds[index]!
      return [
        atMost(`extra delay by 4 MiB ${name}, the longest of a window`, extra(each, 'max'), goalMs, ' ms'),
        atMost(`extra delay by 4 MiB ${name}, p99`, extra(each, 'p99'), goalMs, ' ms'),
      ]
    }),
    charts: {},
    notes: [],
  }
}

const spreads = (windows: readonly Window[]) => ({
  'p50 ms': median(windows.map(({ p50 }) => p50)),
  'p99 ms': median(windows.map(({ p99 }) => p99)),
  'max ms': median(windows.map(({ max }) => max)),
})

/** In a process of its own: what it does with 4 MiB must not delay who is timed. */
class LargeAsker {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(socket: string, tool: string): Promise<LargeAsker> {
    const child = fork(program, [socket, tool])
    process.once('exit', () => child.kill('SIGKILL'))
    const ended = once(child, 'exit').then(() => {
      throw new Error('the agent that asks for large results has ended')
    })
    await Promise.race([once(child, 'message'), ended])
    ended.catch(() => undefined)
    return new LargeAsker(child)
  }

  go(): void {
    this.#child.send('go')
  }

  /** Resolves with how many large results came. */
  async stop(): Promise<number> {
    const told = once(this.#child, 'message')
    this.#child.send('stop')
    return (await told)[0]
  }

  end(): void {
    this.#child.disconnect()
  }
}

const program = fileURLToPath(new URL('./large-asker-program.js', import.meta.url))
