import { setTimeout as delay } from 'node:timers/promises'
import type { CallLines } from './call-lines.js'
import { cpuLabel, measureGrowth, rowsOf, type Subject, seriesOf, staysFlat } from './growth.js'
import { memoryRow } from './memory-row.js'
import { atMost, type Experiment, type Outcome, type Row, type ScaleSettings } from './scale-experiment.js'
import { type ScaleStage, sayText } from './scale-stage.js'
import { ScaleStages } from './scale-stages.js'

const counts = [1, 10, 20, 50, 200, 500]
const quickCounts = [1, 20]
/** The size that the goals for an idle hub are for. */
const usualCount = 20
const idleShareMax = 0.5
const idleMebibytesMax = 100

export const scaleWorkerCount: Experiment = {
  name: 'workers',
  summary: 'calls beside 1 to 500 workers, and what they cost at rest',
  play,
}

async function play(settings: ScaleSettings): Promise<Outcome> {
  await using stages = new ScaleStages()
  const opened: Opened[] = []
  for (const count of settings.isQuick ? quickCounts : counts) {
    settings.say(`workers: a hub with ${count}`)
    const stage = await stages.open({ workers: count, toolsPerWorker: 2 })
    opened.push({ count, stage, agent: await stage.agent() })
  }
  settings.say('workers: at rest')
  const idle = await atRest(opened, settings.idleMs)
  settings.say('workers: calls')
  const growth = await measureGrowth(opened.flatMap(subjectsOf), settings)
  const usual = idle.find(({ count }) => count === usualCount)!.figures
  return {
    rows: [
      ...rowsOf(growth),
      ...idle,
      memoryRow(
        'worker',
        idle.map(({ count, figures }) => [count, figures['heap MiB']! * mebibyte]),
      ),
    ],
    checks: [
      staysFlat(growth, 'one of them is called', 'workers'),
      atMost(`at rest with ${usualCount} workers: of a core`, usual['idle CPU %']!, idleShareMax, ' %'),
      atMost(`at rest with ${usualCount} workers: resident`, usual['RSS MiB']!, idleMebibytesMax, ' MiB'),
    ],
    charts: {
      'scale-workers': {
        title: 'A call beside more and more workers',
        x: { label: 'workers', log: true },
        y: { label: `${cpuLabel}, 16 in flight` },
        series: seriesOf(growth),
      },
      'scale-idle': {
        title: 'A hub at rest',
        x: { label: 'workers', log: true },
        y: { label: '% of a core' },
        series: [{ name: 'at rest', points: idle.map(({ count, figures }) => [count, figures['idle CPU %']!]) }],
      },
    },
    notes: [],
  }
}

interface Opened {
  readonly count: number
  readonly stage: ScaleStage
  readonly agent: CallLines
}

function subjectsOf({ count, stage: { probe }, agent }: Opened): Subject[] {
  let serial = 0
  const texts = Array.from({ length: count }, (_, worker) => sayText(worker, 0))
  const nextOfAll = () => {
    serial = (serial + 1) % count
    return texts[serial]!
  }
  const ways = { 'one of them is called': () => texts[0]!, 'all are called in turn': nextOfAll }
  return Object.entries(ways).map(([series, next]) => ({
    series,
    count,
    probe,
    inFlight: 16,
    run: (inFlight, isOver) => agent.loop(inFlight, next, isOver),
  }))
}

/** All of them at the same time. */
async function atRest(opened: readonly Opened[], idleMs: number): Promise<Row[]> {
  const heaps = await Promise.all(opened.map(({ stage }) => stage.probe.ask('heap')))
  const before = await Promise.all(opened.map(({ stage }) => stage.probe.cpuMicros()))
  await delay(idleMs)
  const after = await Promise.all(opened.map(({ stage }) => stage.probe.cpuMicros()))
  return opened.map(({ count }, index) => {
    const { heapBytes, residentBytes } = heaps[index]!
    const share = (after[index]! - before[index]!) / (idleMs * 1_000)
    return {
      what: 'at rest',
      count,
      figures: { 'idle CPU %': share * 100, 'RSS MiB': residentBytes / mebibyte, 'heap MiB': heapBytes / mebibyte },
    }
  })
}

const mebibyte = 1024 * 1024
