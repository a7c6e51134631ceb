import type { CallLines } from './call-lines.js'
import { cpuLabel, measureGrowth, median, rowsOf, type Subject, seriesOf, staysFlat } from './growth.js'
import { listTools } from './list-tools.js'
import { memoryRow } from './memory-row.js'
import { atMost, type Experiment, type Outcome, type Row, type ScaleSettings } from './scale-experiment.js'
import { type ScaleStage, sayText } from './scale-stage.js'
import { ScaleStages } from './scale-stages.js'

/** As few as may offer 10,000 tools; the same for all counts, since only the tools shall grow. */
const workers = 5
const counts = [10, 100, 1_000, 10_000]
const quickCounts = [10, 100]
const series = 'called in no order'

export const scaleTools: Experiment = { name: 'tools', summary: 'calls and lists beside 10 to 10,000 tools', play }

async function play(settings: ScaleSettings): Promise<Outcome> {
  await using stages = new ScaleStages()
  const subjects: ToolsSubject[] = []
  const heaps: [count: number, bytes: number][] = []
  for (const count of settings.isQuick ? quickCounts : counts) {
    settings.say(`tools: a hub with ${count}`)
    const stage = await stages.open({ workers, toolsPerWorker: count / workers })
    subjects.push(subjectOf(stage, await stage.agent(), count))
    heaps.push([count, (await stage.probe.ask('heap')).heapBytes])
  }
  settings.say('tools: calls')
  const growth = await measureGrowth(subjects, settings)
  settings.say('tools: lists')
  const lists: Row[] = []
  for (const subject of subjects) lists.push(await listCost(subject, settings.rounds * 4))
  const perTool = lists.map(({ count, figures }) => figures['CPU µs/list']! / count)
  return {
    rows: [...rowsOf(growth), ...lists, memoryRow('tool', heaps)],
    checks: [
      staysFlat(growth, series, 'tools'),
      atMost('CPU per listed tool, most tools against 100', perTool.at(-1)! / perTool[1]!, 1.5, ' ×'),
    ],
    charts: {
      'scale-tools': {
        title: 'A call beside more and more tools',
        x: { label: 'tools', log: true },
        y: { label: `${cpuLabel}, 16 in flight` },
        series: seriesOf(growth),
      },
      'scale-lists': {
        title: 'A list of all tools',
        x: { label: 'tools', log: true },
        y: { label: 'ms until the last byte, mcp.sock' },
        series: [{ name: 'tools/list', points: lists.map(({ count, figures }) => [count, figures['list ms']!]) }],
      },
    },
    notes: [],
  }
}

interface ToolsSubject extends Subject {
  readonly agent: CallLines
}

function subjectOf({ probe }: ScaleStage, agent: CallLines, count: number): ToolsSubject {
  const texts = Array.from({ length: count }, (_, index) => sayText(index % workers, Math.floor(index / workers)))
  let serial = 0
  const next = () => {
    // A prime step visits all of them.
    serial = (serial + 7_919) % count
    return texts[serial]!
  }
  return { series, count, probe, inFlight: 16, agent, run: (inFlight, isOver) => agent.loop(inFlight, next, isOver) }
}

async function listCost({ agent, probe, count }: ToolsSubject, repeats: number): Promise<Row> {
  await listTools(agent, count)
  const times: number[] = []
  const before = await probe.cpuMicros()
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const begunAt = performance.now()
    await listTools(agent, count)
    times.push(performance.now() - begunAt)
  }
  const cpu = ((await probe.cpuMicros()) - before) / repeats
  return { what: 'tools/list, all pages', count, figures: { 'list ms': median(times), 'CPU µs/list': cpu } }
}
