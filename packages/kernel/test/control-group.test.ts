import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ControlGroups, ownOutOfMemoryKills } from '../src/isolation/control-group.js'
import { tasksFor } from '../src/isolation/limits.js'
import { evaluate, openPool } from './support/fixture.js'
import { until } from './support/processes.js'

const limits = { processes: 10, memoryBytes: 1000 }

/** Files that look like a mounted tree; what the system would do with them is not there. */
async function tree(mounts: (root: string) => string, membership: string, files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'callboard-groups-test-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true })
    await writeFile(join(root, name), text)
  }
  await writeFile(join(root, 'mounts'), mounts(root))
  await writeFile(join(root, 'membership'), membership)
  return {
    root,
    paths: { mounts: join(root, 'mounts'), membership: join(root, 'membership') },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

describe.skipIf(process.platform !== 'linux')('control groups', () => {
  it('of version 2 lie beside the group of the service, where that hands on its controllers', async () => {
    await using fake = await tree((root) => `cgroup2 ${root}/cg cgroup2 rw 0 0\n`, '0::/a.service/main\n', {
      'cg/a.service/cgroup.controllers': 'cpu pids memory\n',
      'cg/a.service/cgroup.procs': '',
      'cg/a.service/cgroup.subtree_control': 'cpu pids memory\n',
      'cg/a.service/main/cgroup.procs': '1\n',
      'cg/a.service/main/memory.events': 'low 0\noom 3\noom_kill 2\n',
    })
    const groups = ControlGroups.find(fake.paths)
    expect(groups.limited).toEqual(['processes', 'memory'])
    expect(groups.enclose(4711, limits)).toBeDefined()
    const directory = join(fake.root, 'cg/a.service', `callboard-kernel-${process.pid}-1`)
    const read = (name: string) => readFile(join(directory, name), 'utf8')
    expect([await read('pids.max'), await read('memory.max'), await read('cgroup.procs')]).toEqual([
      '40',
      '1000',
      '4711',
    ])
    expect(ownOutOfMemoryKills(fake.paths)).toBe(2)
  })

  it('are never looked for outside the mounted tree', async () => {
    await using fake = await tree((root) => `cgroup2 ${root}/cg/unified cgroup2 rw 0 0\n`, '0::/\n', {
      'cg/cgroup.controllers': 'pids memory\n',
      'cg/cgroup.subtree_control': 'pids memory\n',
      'cg/cgroup.procs': '',
      'cg/unified/cgroup.procs': '1\n',
    })
    expect(ControlGroups.find(fake.paths).limited).toEqual([])
  })

  it('are never made outside the service, whose own limits must hold on', async () => {
    await using fake = await tree((root) => `cgroup2 ${root}/cg cgroup2 rw 0 0\n`, '0::/system.slice/a.service\n', {
      'cg/system.slice/cgroup.controllers': 'pids memory\n',
      'cg/system.slice/cgroup.subtree_control': 'pids memory\n',
      'cg/system.slice/cgroup.procs': '',
      'cg/system.slice/a.service/cgroup.controllers': 'pids memory\n',
      'cg/system.slice/a.service/cgroup.procs': '1\n',
    })
    expect(ControlGroups.find(fake.paths).limited).toEqual([])
  })

  it('are not made where the service’s own group holds its processes', async () => {
    await using fake = await tree((root) => `cgroup2 ${root}/cg cgroup2 rw 0 0\n`, '0::/unit\n', {
      'cg/cgroup.controllers': 'pids memory\n',
      'cg/unit/cgroup.controllers': 'pids memory\n',
      'cg/cgroup.procs': '1\n',
      'cg/unit/cgroup.procs': '2\n',
    })
    const groups = ControlGroups.find(fake.paths)
    expect(groups.limited).toEqual([])
    expect(groups.enclose(4711, limits)).toBeUndefined()
    expect(ownOutOfMemoryKills(fake.paths)).toBeUndefined()
  })

  it('of version 1 have a tree for each controller', async () => {
    const mounts = (root: string) =>
      `cgroup ${root}/memory cgroup rw,memory 0 0\ncgroup ${root}/pids cgroup rw,pids 0 0\n`
    await using fake = await tree(mounts, '8:pids:/\n4:memory:/unit\n0::/\n', {
      'pids/cgroup.procs': '1',
      'memory/unit/cgroup.procs': '1',
      'memory/unit/memory.oom_control': 'under_oom 0\noom_kill 5\n',
    })
    const groups = ControlGroups.find(fake.paths)
    expect(groups.limited).toEqual(['processes', 'memory'])
    expect(groups.enclose(4711, limits)).toBeDefined()
    const name = `callboard-kernel-${process.pid}-1`
    expect(await readFile(join(fake.root, 'memory/unit', name, 'memory.limit_in_bytes'), 'utf8')).toBe('1000')
    expect(await readFile(join(fake.root, 'pids', name, 'pids.max'), 'utf8')).toBe(String(tasksFor(10)))
    expect(ownOutOfMemoryKills(fake.paths)).toBe(5)
  })

  it('that a killed worker left are removed', async () => {
    await using fake = await tree((root) => `cgroup ${root}/pids cgroup rw,pids 0 0\n`, '8:pids:/\n', {
      'pids/cgroup.procs': '',
    })
    const left = join(fake.root, 'pids', 'callboard-kernel-1-1')
    await mkdir(left)
    ControlGroups.find(fake.paths)
    expect(existsSync(left)).toBe(false)
  })
})

const real = ControlGroups.find().limited
const hasBoth = real.includes('memory') && real.includes('processes')

describe.skipIf(!hasBoth)(`control groups of this machine ${hasBoth ? '' : '(none may be made here)'}`, () => {
  it('refuse more processes, between two looks of the watch', async () => {
    await using house = await openPool({ maxProcesses: 10 })
    const code = `
import os, signal
pids = []
try:
    for _ in range(${tasksFor(10) + 20}):
        pid = os.fork()
        if pid == 0: os.execvp("sleep", ["sleep", "60"])
        pids.append(pid)
except BlockingIOError as error: refused = error.strerror
for pid in pids: os.kill(pid, signal.SIGKILL)
for pid in pids: os.waitpid(pid, 0)
len(pids) < ${tasksFor(10)}, refused`
    expect((await evaluate(house.kernel(), code)).result).toBe("(True, 'Resource temporarily unavailable')")
  })

  it('name memory for certain when the system kills, and tell when it killed a program only', async () => {
    await using house = await openPool({ memoryMiB: 512 })
    const kernel = house.kernel()
    const hog = 'import time; blocks = [bytearray(20 * 1024 ** 2) for _ in range(6)]; time.sleep(60)'
    const code = `import subprocess, sys, time\nchildren = [subprocess.Popen([sys.executable, "-c", ${JSON.stringify(hog)}]) for _ in range(8)]\nwhile all(child.poll() is None for child in children): time.sleep(0.01)\n[child.kill() for child in children]`
    const told: string[] = []
    for (let next = code; told.length === 0; next = '1') {
      const { error, notices } = await evaluate(kernel, next)
      told.push(...(error === null ? [] : [error]), ...notices)
    }
    expect(told.join('\n')).toMatch(
      /Out of memory: the system killed|control group ran out of memory|beyond their memory limit/,
    )
  })

  it('are gone with their kernels', async () => {
    const { groups } = await (async () => {
      await using house = await openPool()
      await evaluate(house.kernel(), '1')
      return house.containment.find()
    })()
    await until(() => groups.isEmpty)
  })
})
