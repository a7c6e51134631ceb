import { callText } from './call-lines.js'
import { cpuLabel, measureGrowth, rowsOf, type Subject, seriesOf } from './growth.js'
import { atMost, type Experiment, type Outcome, type ScaleSettings } from './scale-experiment.js'
import { ScaleStage } from './scale-stage.js'

const counts = [1, 16, 128, 512, 2_000]
const quickCounts = [1, 128]
/** More than a session may have waiting are spread over several. */
const agentsMax = 16
/** As many as the most that are in flight: what waits is another question. */
const concurrency = 2_000
const series = ['trusted', 'checked'] as const

export const scaleInFlight: Experiment = {
  name: 'in-flight',
  summary: 'calls with 1 to 2,000 in flight, to a trusted worker and to another',
  play,
}

async function play(settings: ScaleSettings): Promise<Outcome> {
  settings.say('in flight')
  await using stage = await ScaleStage.empty()
  await stage.workers('kernel', { concurrency, isTrusted: true })
  await stage.workers('stranger', { concurrency })
  const agents = await Promise.all(Array.from({ length: agentsMax }, () => stage.agent()))
  const subjectOf = (name: (typeof series)[number], count: number): Subject => {
    const text = callText(name === 'trusted' ? 'kernel_say_0' : 'stranger_say_0', { text: 'the quick brown fox' })
    const run = async (inFlight: number, isOver: () => boolean) => {
      const used = agents.slice(0, Math.min(agentsMax, Math.ceil(inFlight / 8)))
      const share = Math.ceil(inFlight / used.length)
      return (await Promise.all(used.map((agent) => agent.loop(share, () => text, isOver)))).flat()
    }
    return { series: name, count, probe: stage.probe, inFlight: count, run }
  }
  const used = settings.isQuick ? quickCounts : counts
  const growth = await measureGrowth(
    series.flatMap((name) => used.map((count) => subjectOf(name, count))),
    settings,
  )
  return {
    rows: rowsOf(growth),
    checks: series.map((name) => {
      const of = (count: number) => growth.find((point) => point.series === name && point.count === count)!.cpuMicros
      const most = used.at(-1)!
      return atMost(`CPU per call with ${most} in flight against 128, ${name}`, of(most) / of(128), 1.2, ' ×')
    }),
    charts: {
      'scale-in-flight': {
        title: 'A call beside more and more others',
        x: { label: 'calls in flight', log: true },
        y: { label: cpuLabel },
        series: seriesOf(growth),
      },
    },
    notes: [],
  }
}
