import { type CallLines, type CallText, callText } from './call-lines.js'
import { GateProxy } from './gate-proxy.js'
import type { GateMeasure } from './gate-thresholds.js'
import { median } from './growth.js'
import type { LoopCounts } from './loop-count.js'
import type { Probe } from './probe.js'
import { ScaleStage } from './scale-stage.js'
import type { WireCounts } from './wire-count.js'

export type Measured = { readonly [measure in GateMeasure]: number }

/** Calls of one burst: a client's whole write, which is answered before the next one, so that what shares a batch is no chance. */
export const burstCalls = 128

/** All of it: half a minute on a quiet machine. */
export async function measureGate(): Promise<Measured> {
  const [usual, roomy, proxy] = await Promise.all([gateHub(), gateHub(roomForYoung), GateProxy.start()])
  await using _usual = usual
  await using _roomy = roomy
  await using _proxy = proxy
  const heap = await allocations(roomy)
  const cpu = await cpuRatios(usual, proxy)
  return { ...cpu, ...heap, ...(await burstCounts(usual)) }
}

interface Called {
  readonly agent: CallLines
  readonly probe: Probe
  readonly texts: readonly CallText[]
}

/** CPU of the hub's process per call, over that of the naive proxy's: the median of what rounds of windows in turns had. */
async function cpuRatios(hub: ScaleStage, proxy: GateProxy): Promise<Pick<Measured, 'cpuTrusted' | 'cpuChecked'>> {
  const agent = await hub.agent()
  const all: Called[] = [
    { agent: proxy.agent, probe: proxy.probe, texts: textsOf('echo') },
    ...[trustedTool, checkedTool].map((tool) => ({ agent, probe: hub.probe, texts: textsOf(tool) })),
  ]
  for (const called of all) await cpuPerCall(called, warmBursts)
  const ratios: [number[], number[]] = [[], []]
  for (let round = 0; round < cpuRounds; round += 1) {
    const cpu = [0, 0, 0]
    const order = round % 2 === 0 ? [0, 1, 2] : [2, 1, 0]
    for (const index of order) cpu[index] = await cpuPerCall(all[index]!, cpuBursts)
    ratios[0].push(cpu[1]! / cpu[0]!)
    ratios[1].push(cpu[2]! / cpu[0]!)
  }
  return { cpuTrusted: median(ratios[0]), cpuChecked: median(ratios[1]) }
}

/** So many calls, and not so long: on a busy machine a window would see too few. */
async function cpuPerCall({ agent, probe, texts }: Called, bursts: number): Promise<number> {
  const before = await probe.cpuMicros()
  for (let burst = 0; burst < bursts; burst += 1) await agent.burst(texts)
  return ((await probe.cpuMicros()) - before) / (bursts * texts.length)
}

type Counts = WireCounts & LoopCounts

/** What passes between the hub and its sockets, and what it asks of the event loop, in bursts. */
async function burstCounts(hub: ScaleStage): Promise<Pick<Measured, keyof Counts>> {
  const agent = await hub.agent()
  const texts = textsOf(checkedTool)
  await hub.probe.ask('count')
  await agent.burst(texts)
  const bursts: Counts[] = []
  for (let burst = 0; burst < countedBursts; burst += 1) {
    await hub.probe.ask('count')
    await agent.burst(texts)
    bursts.push(await hub.probe.ask('counted'))
    // What is waited for next is counted again only if it was asked for while counting.
    await hub.probe.ask('count')
  }
  const usual = (key: keyof Counts) => median(bursts.map((counts) => counts[key]))
  return {
    batchesOut: usual('batchesOut'),
    batchesIn: usual('batchesIn'),
    messagesOut: usual('messagesOut') / burstCalls,
    messagesIn: usual('messagesIn') / burstCalls,
    writes: usual('writes'),
    promises: usual('promises') / burstCalls,
    timers: usual('timers'),
  }
}

/** Bytes of the heap that a call takes up, before anything is collected: a hub with so much room for young objects collects seldom. */
async function allocations(hub: ScaleStage): Promise<Pick<Measured, 'heapTrusted' | 'heapChecked'>> {
  const agent = await hub.agent()
  return {
    heapTrusted: await kibibytesPerCall(hub.probe, agent, textsOf(trustedTool)),
    heapChecked: await kibibytesPerCall(hub.probe, agent, textsOf(checkedTool)),
  }
}

async function kibibytesPerCall(probe: Probe, agent: CallLines, texts: readonly CallText[]): Promise<number> {
  for (let burst = 0; burst < warmBursts; burst += 1) await agent.burst(texts)
  const grown: number[] = []
  for (let window = 0; window < heapWindows; window += 1) {
    const before = (await probe.ask('allocated')).heapBytes
    for (let burst = 0; burst < burstsPerHeapWindow; burst += 1) await agent.burst(texts)
    grown.push((await probe.ask('allocated')).heapBytes - before)
  }
  // One in some has a collection in it: it shrank, or grew by less.
  return median(grown) / (burstsPerHeapWindow * texts.length) / 1024
}

async function gateHub(nodeOptions: readonly string[] = []): Promise<ScaleStage> {
  const hub = await ScaleStage.empty(nodeOptions)
  await hub.workers('kernel', { isTrusted: true })
  await hub.workers('stranger', {})
  return hub
}

const trustedTool = 'kernel_say_0'
const checkedTool = 'stranger_say_0'

/** 200 bytes there and 2 KB back: what tools usually say. */
function textsOf(tool: string): readonly CallText[] {
  return Array.from({ length: burstCalls }, () => callText(tool, { text: 'x'.repeat(100), repeat: 20 }))
}

/** So many MiB of new objects before one of them is looked at. */
const roomForYoung = ['--min-semi-space-size=128', '--max-semi-space-size=128']
/** Until what runs is compiled. */
const warmBursts = 50
const cpuRounds = 24
const cpuBursts = 8
const countedBursts = 21
const burstsPerHeapWindow = 4
const heapWindows = 25
