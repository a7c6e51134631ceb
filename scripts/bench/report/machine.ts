import { cpus, loadavg, release, totalmem } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGibibytes: number
  readonly system: string
  readonly node: string
  /** Of the last minute before the run: what else there was to do. */
  readonly load: number
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGibibytes: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    load: Number(loadavg()[0]!.toFixed(2)),
  }
}

export function machineText({ cpu, cores, memoryGibibytes, node, system, load }: Machine): string {
  return `${cores} × ${cpu}, ${memoryGibibytes} GiB, ${system}, node ${node}; load ${load} at the start`
}
