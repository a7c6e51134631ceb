import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { groupRemovalMs, tasksFor } from './limits.js'
import { isWithin } from './paths.js'

export interface GroupLimits {
  /** Of all processes in the group together. */
  readonly memoryBytes: number
  readonly processes: number
}

interface Paths {
  readonly mounts: string
  readonly membership: string
}

interface Parent {
  readonly directory: string
  readonly files: Files
}

interface Files {
  readonly tasksMax?: string
  readonly memoryMax?: string
  /** Has a line `oom_kill N`. */
  readonly memoryEvents?: string
}

const version2: Files = { tasksMax: 'pids.max', memoryMax: 'memory.max', memoryEvents: 'memory.events' }
const version1: readonly (Files & { readonly controller: string })[] = [
  { controller: 'pids', tasksMax: 'pids.max' },
  { controller: 'memory', memoryMax: 'memory.limit_in_bytes', memoryEvents: 'memory.oom_control' },
]
const prefix = 'callboard-kernel-'
const system: Paths = { mounts: '/proc/self/mounts', membership: '/proc/self/cgroup' }

/**
 * Linux's own limits for all programs of a kernel together, where this worker may make control groups: it runs as root, or
 * its service was given a part of the tree.
 */
export class ControlGroups {
  readonly #parents: readonly Parent[]
  #count = 0

  private constructor(parents: readonly Parent[]) {
    this.#parents = parents
  }

  static readonly none = new ControlGroups([])

  static find(paths: Paths = system): ControlGroups {
    if (process.platform !== 'linux') return new ControlGroups([])
    const own = ownDirectories(paths)
    const parents = own.unified === undefined ? undefined : version2Parent(own.unified)
    const groups = new ControlGroups(parents === undefined ? own.separate.filter(isUsable) : [parents])
    groups.#removeLeftovers()
    return groups
  }

  /** What is limited by the system itself, in the words of the configuration's keys. */
  get limited(): readonly string[] {
    const { tasksMax, memoryMax }: Files = Object.assign({}, ...this.#parents.map(({ files }) => files))
    return [...(tasksMax === undefined ? [] : ['processes']), ...(memoryMax === undefined ? [] : ['memory'])]
  }

  /** Undefined where there is nothing to limit with, or the process has gone. Whatever it starts is in the group too. */
  enclose(pid: number, limits: GroupLimits): ControlGroup | undefined {
    this.#count += 1
    const name = `${prefix}${process.pid}-${this.#count}`
    const group = new ControlGroup(
      this.#parents.map(({ directory, files }) => ({ directory: join(directory, name), files })),
    )
    return group.open(pid, limits) ? group : undefined
  }

  /** Whether no group of ours is left; those of living kernels count too. */
  get isEmpty(): boolean {
    return this.#parents.every(({ directory }) =>
      readdirSync(directory).every((name) => !name.startsWith(`${prefix}${process.pid}-`)),
    )
  }

  /** A group goes when the last of its processes is gone, which may be a moment later. */
  retire(group: ControlGroup): void {
    if (!group.remove()) setTimeout(() => this.retire(group), groupRemovalMs).unref()
  }

  /** Of workers that were killed. A group with processes in it cannot be removed, so nobody else's ends here. */
  #removeLeftovers(): void {
    for (const { directory } of this.#parents) {
      for (const name of readdirSync(directory))
        if (name.startsWith(prefix)) tryTo(() => rmdirSync(join(directory, name)))
    }
  }
}

export class ControlGroup {
  #parts: readonly Parent[]

  constructor(parts: readonly Parent[]) {
    this.#parts = parts
  }

  open(pid: number, { memoryBytes, processes }: GroupLimits): boolean {
    const opened = this.#parts.filter(({ directory, files }) =>
      tryTo(() => {
        mkdirSync(directory)
        if (files.tasksMax) writeFileSync(join(directory, files.tasksMax), String(tasksFor(processes)))
        if (files.memoryMax) writeFileSync(join(directory, files.memoryMax), String(memoryBytes))
        writeFileSync(join(directory, 'cgroup.procs'), String(pid))
      }),
    )
    if (opened.length < this.#parts.length) this.remove()
    this.#parts = opened
    return opened.length > 0
  }

  /** How many processes the system has killed in here because there was no memory left. */
  get outOfMemoryKills(): number {
    return this.#parts.reduce((sum, { directory, files }) => {
      const count = files.memoryEvents === undefined ? undefined : oomKills(join(directory, files.memoryEvents))
      return sum + (count ?? 0)
    }, 0)
  }

  get countsKills(): boolean {
    return this.#parts.some(({ files }) => files.memoryEvents !== undefined)
  }

  /** False while processes are in it. */
  remove(): boolean {
    for (const { directory } of this.#parts) tryTo(() => rmdirSync(directory))
    return this.#parts.every(({ directory }) => !existsSync(directory))
  }
}

/** Out-of-memory kills of the control group that this worker itself is in; undefined where there is none. */
export function ownOutOfMemoryKills(paths: Paths = system): number | undefined {
  const { unified, separate } = ownDirectories(paths)
  const files = [
    ...(unified === undefined ? [] : [join(unified.directory, 'memory.events')]),
    ...separate.flatMap(({ directory, files }) => (files.memoryEvents ? [join(directory, files.memoryEvents)] : [])),
  ]
  return files.map(oomKills).find((count) => count !== undefined)
}

function oomKills(file: string): number | undefined {
  const count = /^oom_kill (\d+)$/m.exec(textOf(file))?.[1]
  return count === undefined ? undefined : Number(count)
}

function ownDirectories({ mounts, membership }: Paths): {
  readonly unified: { readonly mount: string; readonly directory: string } | undefined
  readonly separate: readonly Parent[]
} {
  const mounted = textOf(mounts)
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([, at, kind, options]) => (at === undefined ? [] : [{ at, kind, options: options?.split(',') ?? [] }]))
  const memberships = textOf(membership)
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
    .flatMap((match) => (match === null ? [] : [{ controllers: match[1]!.split(','), path: match[2]! }]))
  const unifiedMount = mounted.find(({ kind }) => kind === 'cgroup2')?.at
  const unifiedPath = memberships.find(({ controllers }) => controllers[0] === '')?.path
  // A group outside of what this container may see has a path that leads out of the tree.
  const below = (mount: string, path: string) => (isWithin(join(mount, path), mount) ? join(mount, path) : undefined)
  const separate = version1.flatMap(({ controller, ...files }) => {
    const mount = mounted.find(({ kind, options }) => kind === 'cgroup' && options.includes(controller))?.at
    const path = memberships.find(({ controllers }) => controllers.includes(controller))?.path
    const directory = mount === undefined || path === undefined ? undefined : below(mount, path)
    return directory === undefined ? [] : [{ directory, files }]
  })
  const directory =
    unifiedMount === undefined || unifiedPath === undefined ? undefined : below(unifiedMount, unifiedPath)
  return {
    unified: directory === undefined ? undefined : { mount: unifiedMount!, directory },
    separate,
  }
}

/**
 * A group that hands on its controllers may hold no process itself, so the place is the group above ours when our service
 * was given a part of the tree with a subgroup for its own processes (systemd: `Delegate=`, `DelegateSubgroup=`). Never
 * higher: what limits the service must go on to limit its kernels.
 */
function version2Parent({ mount, directory: own }: { mount: string; directory: string }): Parent | undefined {
  const wanted = ['pids', 'memory']
  return [...(isUnit(dirname(own)) && isWithin(own, mount) ? [dirname(own)] : []), own]
    .filter((directory) => {
      const offered = textOf(join(directory, 'cgroup.controllers')).split(/\s+/)
      if (!wanted.every((name) => offered.includes(name))) return false
      const handedOn = textOf(join(directory, 'cgroup.subtree_control')).split(/\s+/)
      if (wanted.every((name) => handedOn.includes(name))) return true
      const free = textOf(join(directory, 'cgroup.procs')).trim() === ''
      return free && tryTo(() => writeFileSync(join(directory, 'cgroup.subtree_control'), '+pids +memory'))
    })
    .map((directory) => ({ directory, files: version2 }))
    .find(isUsable)
}

const isUnit = (directory: string) => /\.(service|scope)$/.test(directory)

function isUsable({ directory, files }: Parent): boolean {
  const trial = join(directory, `${prefix}${process.pid}-trial`)
  // Elsewhere the same names would be made as ordinary files.
  if (!existsSync(join(directory, 'cgroup.procs'))) return false
  const works = tryTo(() => {
    mkdirSync(trial)
    if (files.tasksMax) writeFileSync(join(trial, files.tasksMax), '64')
    if (files.memoryMax) writeFileSync(join(trial, files.memoryMax), String(2 ** 30))
  })
  tryTo(() => rmdirSync(trial))
  return works
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function tryTo(action: () => void): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
