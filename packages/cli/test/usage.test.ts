import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { binary, collect, Installation } from './support/installation.js'

describe('help and version', () => {
  it('prints the version', async () => {
    expect(await new Installation().run(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' })
  })

  it.each(['new', 'list', 'revoke', 'show'])('has examples for token %s', async (command) => {
    for (const words of [
      ['token', command, '--help'],
      ['help', 'token', command],
    ]) {
      const { code, stdout } = await new Installation().run(words)
      expect(code).toBe(0)
      expect(stdout).toMatch(new RegExp(`Examples:\\n.*callboard token ${command}`, 's'))
    }
  })

  it.each([
    'hub',
    'up',
    'down',
    'drain',
    'forget',
    'stdio',
    'worker',
    'ls',
    'call',
    'doctor',
    'token',
    'tasks',
    'groups',
    'approvals',
    'metrics',
    'top',
  ])('has examples for %s', async (command) => {
    const { code, stdout } = await new Installation().run([command, '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`Examples:\\n.*callboard ${command}`, 's'))
  })
})

it('shows what an MCP client is to start, as it is here', async () => {
  const { stdout } = await new Installation().run(['stdio', '--help'])
  expect(stdout).toContain(`claude mcp add callboard -- node ${binary} stdio\n`)
  expect(stdout).not.toContain('npx')
})

describe('usage errors are one sentence and exit 2', () => {
  it.each([
    [['upp'], /^callboard: unknown command 'upp' \(did you mean up\?\)\n$/],
    [['up', '--workrs', 'kernel'], /^callboard: unknown option '--workrs' \(did you mean --workers\?\)\n$/],
    [['call'], /^callboard: missing required argument 'tool' \(see callboard call --help\)\n$/],
    [['call', 'x', '--timeout', 'soon'], /^callboard: .*must be a number above 0.*\n$/],
    [['worker', 'kernl'], /^callboard: There is no worker kernl \(did you mean kernel\?\).*\n$/],
    [
      ['up', '--workers', 'kernl'],
      /^callboard: .*CALLBOARD_WORKERS: there is no worker kernl \(did you mean kernel\?\).*\n$/,
    ],
    [['token', 'nwe', 'ada'], /^callboard: unknown command 'nwe' \(did you mean new\?\)\n$/],
    [['token', 'lst', '--help'], /^callboard: unknown command 'lst' \(did you mean list\?\)\n$/],
    [['help', 'token', 'revok'], /^callboard: unknown command 'revok' \(did you mean revoke\?\)\n$/],
    [['tasks', '--limit', '501'], /^callboard: --limit must be a whole number from 1 to 500\.\n$/],
    [['token', 'new'], /^callboard: missing required argument 'name' \(see callboard token new --help\)\n$/],
    [['upp', '--help'], /^callboard: unknown command 'upp' \(did you mean up\?\)\n$/],
    [['upp', 'x', '-h'], /^callboard: unknown command 'upp' \(did you mean up\?\)\n$/],
    [['help', 'upp'], /^callboard: unknown command 'upp' \(did you mean up\?\)\n$/],
    [['up', '--http', '0.0.0.0:80'], /^callboard: .*not a loopback address.*\n$/],
  ])('%j', async (words, sentence) => {
    const installation = new Installation()
    const { code, stdout, stderr } = await installation.run(words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(installation.processes()).toEqual([])
  })

  it('says every problem of the config at once', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: '' })
    mkdirSync(installation.data)
    writeFileSync(join(installation.data, 'callboard.config.json'), '{"htp": "off", "namespace": "often"}')
    const { code, stderr } = await installation.run(['up'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/htp \(did you mean http\?\)/)
    expect(stderr).toMatch(/namespace/)
    const file = '{"workers": ["kernel", "frob"], "kernel": {"maxKernels": 0, "pyton": 1}, "logLevel": 7}'
    writeFileSync(join(installation.data, 'callboard.config.json'), file)
    const both = await installation.run(['up'])
    const name = join(installation.data, 'callboard.config.json')
    expect(both.stderr.split('\n')).toEqual([
      'callboard: The configuration is not usable:',
      `  ${name}: logLevel: must be trace, debug, info, warn, error, fatal or silent.`,
      `  ${name}: workers: there is no worker frob; the built-in ones are: kernel, scheduler, social, forum, qda.`,
      `  ${name}: kernel.maxKernels: must be at least 1.`,
      expect.stringContaining(`  ${name}: kernel: unknown key pyton; there are python, `),
      '',
    ])
    expect(existsSync(installation.runtime)).toBe(false)
  })

  it('names a config file that is missing or no JSON', async () => {
    const installation = new Installation()
    const missing = await installation.run(['up'], { CALLBOARD_CONFIG: '/nowhere/config.json' })
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/nowhere/config.json: there is no such file'),
    })
    writeFileSync(join(installation.directory, 'broken.json'), '{')
    const broken = await installation.run(['up'], { CALLBOARD_CONFIG: 'broken.json' })
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('is not JSON') })
  })

  it('refuses a wrong section of a worker, and leaves nothing running', async () => {
    const installation = new Installation()
    mkdirSync(installation.data, { mode: 0o700 })
    writeFileSync(join(installation.data, 'callboard.config.json'), '{"kernel": {"maxKernels": "many"}}')
    const { code, stderr } = await installation.run(['up'])
    expect(code).toBe(2)
    const file = join(installation.data, 'callboard.config.json')
    expect(stderr).toBe(`callboard: The configuration is not usable: ${file}: kernel.maxKernels: must be a number.\n`)
    expect(await installation.run(['worker', 'kernel'])).toEqual({ code: 2, stdout: '', stderr })
    expect(installation.processes()).toEqual([])
  })

  it('needs python3 for the kernel', async () => {
    const { code, stderr } = await new Installation().run(['up'], { PATH: '/nowhere' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^callboard: The worker kernel needs python3, which was not found: install Python .*\n$/)
  })

  it.each(['up', 'hub', 'worker kernel', 'call weave_eval code=1', 'ls', 'down', 'stdio'])(
    'refuses a runtime directory whose socket path is too long: %s',
    async (command) => {
      const installation = new Installation()
      for (const length of [120, 300]) {
        const runtime = join(installation.directory, 'x'.repeat(length))
        const { code, stdout, stderr } = await installation.run(command.split(' '), { CALLBOARD_RUNTIME: runtime })
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
        expect(stderr).toMatch(/^callboard: The socket path .* set CALLBOARD_RUNTIME to a shorter directory\.\n$/)
        expect(existsSync(runtime)).toBe(false)
      }
    },
  )

  it('so does a call that would start a hub', async () => {
    const installation = new Installation()
    const call = ['call', 'weave_eval', 'code=1']
    writeFileSync(installation.data, '')
    expect(await installation.run(call)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^callboard: The hub could not be started: .*set CALLBOARD_DATA/),
    })
    writeFileSync(join(installation.directory, 'config.json'), '{"workers": 5}')
    const configured = await installation.run(call, {
      CALLBOARD_CONFIG: 'config.json',
      CALLBOARD_DATA: join(installation.directory, 'other'),
    })
    expect(configured).toMatchObject({ code: 2, stderr: expect.stringContaining('workers: must be a list') })
    expect(installation.processes()).toEqual([])
  })

  it.each(['hub', 'up'])(
    'tells a person at a terminal of a taken port without a log before it: %s',
    async (command) => {
      const server = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as { port: number }
      const installation = new Installation()
      const words = [process.execPath, binary, command, '--http', `127.0.0.1:${port}`]
      const inTerminal = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'
      const python = spawn('python3', ['-c', inTerminal, ...words], {
        env: { ...installation.environment, CALLBOARD_LOG_LEVEL: 'info' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const said = collect(python.stdout)
      const [code] = await once(python, 'close')
      server.close()
      expect(code).toBe(2)
      expect(said()).toMatch(/^callboard: Port \d+ on 127\.0\.0\.1 is taken: .*\r\n$/)
    },
  )

  it.each(['worker.sock', 'mcp.sock', 'started-on-demand'])('names a directory at the place of %s', async (name) => {
    const installation = new Installation()
    mkdirSync(installation.runtime, { mode: 0o700 })
    mkdirSync(join(installation.runtime, name))
    for (const command of ['up', 'hub']) {
      const { code, stdout, stderr } = await installation.run([command], { CALLBOARD_LOG_LEVEL: 'error' })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(
        new RegExp(`^callboard: .*/${name} is .*: remove it, or set CALLBOARD_RUNTIME to another directory\\.\\n$`),
      )
    }
    expect(installation.processes()).toEqual([])
  })

  it('names what else is wrong with files', async () => {
    const installation = new Installation()
    writeFileSync(join(installation.directory, 'file'), '')
    const within = await installation.run(['ls'], { CALLBOARD_RUNTIME: join(installation.directory, 'file', 'run') })
    expect(within).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^callboard: .*\(ENOTDIR\): remove that.*\n$/),
    })
    mkdirSync(join(installation.runtime, 'hub.log'), { recursive: true, mode: 0o700 })
    const onDemand = await installation.run(['call', 'weave_eval', 'code=1'])
    expect(onDemand).toMatchObject({ code: 2, stderr: expect.stringMatching(/hub\.log is a directory .*: remove it/) })
  })

  it('refuses a groups file with mistakes, names it and all of them, and leaves nothing running', async () => {
    const installation = new Installation()
    const file = join(installation.directory, 'groups.json')
    writeFileSync(file, '{"groups": [{"folder": "main", "tag": "Main", "name": "Main"}]}')
    mkdirSync(installation.data, { recursive: true, mode: 0o700 })
    writeFileSync(join(installation.data, 'sign-in.secret'), 'x'.repeat(43), { mode: 0o600 })
    const { code, stderr } = await installation.run(['worker', 'scheduler'], { GROUPS_FILE: file })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`callboard: ${file}: groups[0].tag: must`),
    })
    expect(stderr).toMatch(/groups: exactly one must have "admin": true; none has\.\n$/)
    expect(installation.processes()).toEqual([])
  })

  it('refuses a data directory that can not be one', async () => {
    const installation = new Installation()
    writeFileSync(installation.data, '')
    const { code, stderr } = await installation.run(['hub'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/set CALLBOARD_DATA/)
  })

  it('refuses a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const installation = new Installation()
    const { code, stderr } = await installation.run(['up', '--http', `127.0.0.1:${port}`])
    server.close()
    expect(code).toBe(2)
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is taken`)
    expect(installation.processes()).toEqual([])
  })
})
