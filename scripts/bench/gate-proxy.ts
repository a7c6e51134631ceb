import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CallLines } from './call-lines.js'
import { Probe, probeOptions } from './probe.js'

/** The naive proxy and the server behind it, with a probe in the proxy: what the hub is held against. */
export class GateProxy implements AsyncDisposable {
  readonly agent: CallLines
  readonly probe: Probe
  readonly #child: ChildProcess
  readonly #directory: string

  private constructor(child: ChildProcess, directory: string, agent: CallLines, probe: Probe) {
    this.#child = child
    this.#directory = directory
    this.agent = agent
    this.probe = probe
  }

  static async start(): Promise<GateProxy> {
    const directory = mkdtempSync(join(tmpdir(), 'callboard-'))
    const socket = join(directory, 'probe.sock')
    const child = spawn(process.execPath, [...probeOptions, program('naive-proxy'), program('direct-server')], {
      env: { PATH: process.env['PATH'] ?? '', BENCH_PROBE: socket },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    process.once('exit', () => {
      child.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    })
    const agent = await CallLines.speak(Duplex.from({ readable: child.stdout, writable: child.stdin }))
    return new GateProxy(child, directory, agent, await Probe.attach(socket))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.probe[Symbol.dispose]()
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

const program = (name: string) => fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url))
