import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseKernelConfig } from '../../src/config.js'
import { PythonRuntime } from '../../src/runtime/python/python-runtime.js'
import type { CellEnd, ModuleRequest } from '../../src/runtime/runtime.js'
import type { ModuleErrorKind, ModuleNotices, ModuleOrders } from '../../src/session/module-api.js'

/** The versions that the module has to work on; `path` is undefined where there is none of that version here. */
export const pythons = ['3.9', '3.10', '3.11', '3.12', '3.13'].map((version) => ({
  version,
  path: findPython(version),
}))

function findPython(version: string): string | undefined {
  const versions = join(process.env['PYENV_ROOT'] ?? '', 'versions')
  const known = existsSync(versions) ? readdirSync(versions).filter((name) => name.startsWith(`${version}.`)) : []
  const candidates = [...known.map((name) => join(versions, name, 'bin', 'python3')), `python${version}`]
  return candidates.find((path) => {
    try {
      const told = execFileSync(path, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], { stdio: 'pipe' })
      return told.toString().trim() === version
    } catch {
      return false
    }
  })
}

export class Refusal extends Error {
  readonly kind: ModuleErrorKind

  constructor(kind: ModuleErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

type Answer = (params: ModuleRequest['params'], request: ModuleRequest) => unknown

export interface Notice {
  readonly method: keyof ModuleNotices
  readonly params: {
    readonly firing: number
    readonly outcome?: string
    readonly detail?: string
    readonly late_s?: number
  }
}

/** A kernel whose worker is the test: it answers what the module asks, and orders firings. */
export class ModuleKernel implements AsyncDisposable {
  readonly notices: Notice[] = []
  /** Method and parameters of each question, in order. */
  readonly asked: [string, unknown][] = []
  readonly answers: { [method: string]: Answer }
  output = ''
  #runtime!: PythonRuntime
  #run = 0
  #rules = 0
  #watchers: (() => void)[] = []

  private constructor(answers: { [method: string]: Answer }) {
    this.answers = { ...usual, rule: (params) => this.#rule(params), ...answers }
  }

  static async start(python = 'python3', answers: { [method: string]: Answer } = {}): Promise<ModuleKernel> {
    const kernel = new ModuleKernel(answers)
    kernel.#runtime = await PythonRuntime.start({
      python,
      workingDirectory: tmpdir(),
      limits: parseKernelConfig({}).limits,
      onOutput: (_run, _stream, bytes) => kernel.#changed(() => (kernel.output += Buffer.from(bytes).toString())),
      onDisplay: () => {},
      onRequest: (request) => kernel.#changed(() => kernel.#answer(request)),
      onNotice: (method, params) => kernel.#changed(() => kernel.notices.push({ method, params } as Notice)),
    })
    return kernel
  }

  get runtime(): PythonRuntime {
    return this.#runtime
  }

  execute(code: string): Promise<CellEnd> {
    this.#run += 1
    return this.#runtime.execute({ run: this.#run, code, resultMode: 'last' })
  }

  /** The value of a last expression; fails with the traceback. */
  async run(code: string): Promise<string | null> {
    const end = await this.execute(code)
    if (end.error !== null) throw new Error(end.error)
    return end.result
  }

  async error(code: string): Promise<string> {
    return (await this.execute(code)).error ?? '(no error)'
  }

  interrupt(): void {
    this.#runtime.interrupt(this.#run)
  }

  fire(order: Partial<ModuleOrders['fire']> & { readonly firing: number }): void {
    this.#runtime.python.tell('fire', { ...usualFiring, ...order })
  }

  /** Resolves when the notice has come; a notice, an answer and an output are what can bring it about. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#watchers.push(resolve))
  }

  async ended(firing: number): Promise<Notice['params']> {
    const find = () => this.notices.find(({ method, params }) => method === 'fire_ended' && params.firing === firing)
    await this.until(() => find() !== undefined)
    return find()!.params
  }

  async started(firing: number): Promise<void> {
    await this.until(() => this.notices.some((n) => n.method === 'fire_started' && n.params.firing === firing))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime.kill('stopping')
  }

  async #answer(request: ModuleRequest): Promise<void> {
    this.asked.push([request.method, request.params])
    try {
      request.resolve(await this.answers[request.method]!(request.params, request))
    } catch (error) {
      if (error instanceof Refusal) request.reject(error.kind, error.message)
      else request.reject('VibeError', String(error))
    }
  }

  #rule(params: ModuleRequest['params']) {
    this.#rules += 1
    return { ...usualRule, id: `rule-${this.#rules}`, name: `rule ${this.#rules}`, ...params }
  }

  #changed(change: () => unknown): void {
    change()
    for (const wake of this.#watchers.splice(0)) wake()
  }
}

export const usualFiring: Omit<ModuleOrders['fire'], 'firing'> = {
  generation: 1,
  rule_id: 'rule-1',
  code: null,
  delay_s: 0,
  target_beat: null,
  position: 0,
  count: 1,
  event: null,
  marker: null,
  priority: 2,
  limit_s: 5,
  max_late_s: null,
}

export const usualRule = {
  priority: 'normal',
  enabled: true,
  status: 'active',
  max_fires: null,
  cooldown_s: 0,
  lead_s: 0,
  max_late_s: null,
  limit_s: 5,
  where: null,
  fired_count: 0,
  suppressed_count: 0,
  missed_count: 0,
  error_count: 0,
  last_fired_at: null,
  last_error: null,
}

const transport = { state: 'playing', position: 4.5, bpm: 120, loop: null }
const session = { id: 'id-1', name: 'untitled', vibe: null, tempo_bpm: 120 }
const event = { cursor: 'c1', type: 'job.completed', data: {}, time: '2025-01-01T00:00:00.000Z' }

const usual: { [method: string]: Answer } = {
  session: ({ name }) => ({ ...session, ...(name !== undefined && { name }) }),
  sessions: () => [{ ...session, shared: false, current: true }],
  tempo: ({ bpm }) => bpm ?? 120,
  play: () => transport,
  pause: () => ({ ...transport, state: 'paused' }),
  stop: () => ({ ...transport, state: 'stopped', position: 0 }),
  seek: ({ beat }) => ({ ...transport, position: beat }),
  loop: ({ start, end }) => ({ ...transport, loop: start === undefined ? null : [start, end] }),
  transport: () => transport,
  until_beat: ({ beat }) => beat,
  sleep_beats: ({ n }) => n,
  marker: ({ name, beat, metadata }) => ({ name, beat, metadata: metadata ?? null }),
  markers: () => [{ name: 'drop', beat: 32, metadata: null }],
  remove_marker: () => true,
  rules: () => [],
  get_rule: ({ id_or_name }) => ({ ...usualRule, id: id_or_name, name: 'f', trigger: 'beat:4', action: 'call:f' }),
  set_rule: ({ id, enabled }) => ({ ...usualRule, id, enabled, name: 'f', trigger: 'beat:4', action: 'call:f' }),
  remove_rule: () => true,
  fire_rule: ({ id }) => ({ ...usualRule, id, name: 'f', trigger: 'beat:4', action: 'call:f' }),
  next_fire: () => ({ beat: 8, time: null }),
  rule_log: () => [{ target_beat: 4, fired_at: event.time, late_s: 0, outcome: 'ok', detail: null }],
  emit: ({ name, data }) => ({ ...event, type: name, data: data ?? null }),
  events: () => ({ events: [event], cursor: 'c1', has_more: false, gap: false }),
  wait_event: () => event,
  history: () => [],
  note: () => null,
  tool: ({ name, arguments: given }) => ({ name, given }),
  docs: () => 'line 1\nline 2',
}
