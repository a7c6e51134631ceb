import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandRunnerConfig } from '../../src/groups/group.js'
import type { ChildIdentity, RunRequest } from '../../src/runners/runner.js'
import { type CommandBench, claude, openCommandBench, program, script } from './support/command-bench.js'
import { lives, until } from './support/processes.js'
import { runRequest, runToken } from './support/run-request.js'

const never = new AbortController().signal

function run(bench: CommandBench, runner: CommandRunnerConfig, overrides: Partial<RunRequest> = {}) {
  return bench.runner.run(runRequest({ runner, ...overrides }), never)
}

describe('a program', () => {
  it('gets the prompt on its standard input and is run in the directory of its group', async () => {
    await using bench = await openCommandBench()
    const report = await run(bench, program('show-surroundings'), { prompt: 'Grüße, 日本' })
    expect(report).toEqual({ text: expect.any(String), exitCode: 0 })
    expect(JSON.parse(report.text)).toMatchObject({ prompt: 'Grüße, 日本', directory: bench.directory })
  })

  it('gets each placeholder as one argument, and no shell reads any', async () => {
    await using bench = await openCommandBench()
    const config = program('show-surroundings', {
      arguments: ['{group_dir}', '{model}', '--model={model}', '$HOME; echo `id` *', ''],
      model: 'a model with spaces',
    })
    const report = await run(bench, config)
    const expected = [bench.directory, 'a model with spaces', '--model={model}', '$HOME; echo `id` *', '']
    expect(JSON.parse(report.text).arguments).toEqual(expected)
  })

  it('sees of the environment what it was promised, and no secret of the host', async () => {
    const environment = {
      PATH: '/usr/bin:/bin',
      HOME: '/home/ada',
      LANG: 'C.UTF-8',
      TZ: 'Europe/Paris',
      ANTHROPIC_API_KEY: 'for the program',
      DATABASE_URL: 'postgres://user:password@localhost/callboard',
      MAIL_HMAC_KEY: 'secret',
      CALLBOARD_SIGN_IN_SECRET: 'secret',
      CALLBOARD_TOKEN: 'of the worker itself',
      NODE_OPTIONS: '--no-warnings',
    }
    await using bench = await openCommandBench({ environment, runtimeDirectory: '/run/callboard' })
    const request = runRequest({ runner: program('show-surroundings') })
    const group = { ...request.group, envAllow: ['ANTHROPIC_API_KEY', 'CALLBOARD_TOKEN', 'NOT_SET'] }
    const seen = JSON.parse((await bench.runner.run({ ...request, group }, never)).text).environment
    expect(seen).toEqual({
      PATH: '/usr/bin:/bin',
      HOME: '/home/ada',
      LANG: 'C.UTF-8',
      TZ: 'Europe/Paris',
      ANTHROPIC_API_KEY: 'for the program',
      CALLBOARD_RUNTIME: '/run/callboard',
      CALLBOARD_TOKEN: '[redacted]',
      CALLBOARD_RUN_ID: request.runId,
      CALLBOARD_IDEMPOTENCY_KEY: request.idempotencyKey,
    })
  })

  it('is told where HTTP is when it is on, and has its own token', async () => {
    await using bench = await openCommandBench({ hubUrl: 'http://127.0.0.1:8765' })
    // Turned round, so that it is not recognized.
    const code = `const { CALLBOARD_TOKEN, CALLBOARD_URL } = process.env
      process.stdout.write(CALLBOARD_URL + ' ' + [...CALLBOARD_TOKEN].reverse().join(''))`
    const report = await run(bench, script(code))
    expect(report.text).toBe(`http://127.0.0.1:8765 ${[...runToken].reverse().join('')}`)
  })

  it('reads a prompt of 1 MiB', async () => {
    await using bench = await openCommandBench()
    const code = `const { text } = await import('node:stream/consumers')
      process.stdout.write(String((await text(process.stdin)).length))`
    expect(await run(bench, script(code), { prompt: 'x'.repeat(1024 * 1024) })).toMatchObject({ text: '1048576' })
  })

  it('may end without having read 1 MiB of prompt', async () => {
    await using bench = await openCommandBench()
    const prompt = 'x'.repeat(1024 * 1024)
    expect(await run(bench, program('never-reads', { arguments: ['end'] }), { prompt })).toEqual({
      text: '',
      exitCode: 0,
    })
  })

  it('that never reads its prompt is stopped as any other', async () => {
    await using bench = await openCommandBench()
    const stop = new AbortController()
    let pid = 0
    const running = bench.runner.run(
      runRequest({
        runner: program('never-reads'),
        prompt: 'x'.repeat(1024 * 1024),
        onProcess: async (child) => {
          pid = child.pgid
        },
      }),
      stop.signal,
    )
    await until(() => pid > 0)
    stop.abort('timed_out')
    expect(await running).toMatchObject({ signal: 'SIGTERM', error: { class: 'exit' } })
    expect(await lives(pid)).toBe(false)
  })

  it('may write 100 MB to each stream: the beginning and the end are kept', async () => {
    await using bench = await openCommandBench()
    const { text, stderrTail = '', exitCode } = await run(bench, program('floods'))
    expect(exitCode).toBe(0)
    for (const kept of [text, stderrTail]) {
      expect(kept.startsWith('FIRST\n')).toBe(true)
      expect(kept.endsWith('LAST\n')).toBe(true)
      expect(kept).toMatch(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/)
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(65_536)
      expect(Buffer.byteLength(kept)).toBeGreaterThan(65_000)
    }
  })

  it('is shown without colours, and without its token wherever it prints it', async () => {
    await using bench = await openCommandBench()
    const code = `const token = process.env.CALLBOARD_TOKEN
      process.stdout.write('\\x1b[31mred\\x1b[0m ' + token + ' ' + token.slice(0, 9) + '\\x1b[1m' + token.slice(9) + '\\0')
      process.stderr.write('failed with ' + token + '\\n')
      process.exitCode = 3`
    const report = await run(bench, script(code))
    expect(report).toEqual({
      text: 'red [redacted] [redacted]\ufffd',
      stderrTail: 'failed with [redacted]\n',
      exitCode: 3,
      error: { class: 'exit', text: 'The program ended with exit code 3: failed with [redacted]', transient: true },
    })
  })
})

describe('how a program ends', () => {
  it('with another code than 0, or by a signal, is worth another attempt', async () => {
    await using bench = await openCommandBench()
    expect(await run(bench, script('process.exitCode = 7'))).toMatchObject({
      exitCode: 7,
      error: { class: 'exit', text: 'The program ended with exit code 7.', transient: true },
    })
    expect(await run(bench, script(`process.kill(process.pid, 'SIGKILL')`))).toMatchObject({
      signal: 'SIGKILL',
      error: { class: 'exit', text: 'The program was ended by SIGKILL.', transient: true },
    })
  })

  it('when it is not there, no other attempt would find it', async () => {
    await using bench = await openCommandBench()
    const missing = { ...program('claude'), argv: ['no-such-agent', '-p'] }
    expect(await run(bench, missing)).toEqual({
      text: '',
      error: {
        class: 'missing_program',
        text: 'There is no program no-such-agent: install it, or correct argv of lab.',
        transient: false,
      },
    })
    expect(await run(bench, { ...missing, argv: ['/etc/passwd'] })).toMatchObject({
      error: { class: 'missing_program', transient: false },
    })
  })

  it('when its configuration is wrong, nothing is started', async () => {
    await using bench = await openCommandBench()
    for (const wrong of ['{model}', '{session_id}', 'a\0b']) {
      const report = await run(bench, program('show-surroundings', { arguments: [wrong] }))
      expect(report).toMatchObject({ error: { class: 'bad_config', transient: false } })
      expect(report).not.toHaveProperty('exitCode')
    }
  })

  it('before it began, when the run was stopped until then', async () => {
    await using bench = await openCommandBench()
    const report = await bench.runner.run(runRequest({ runner: claude }), AbortSignal.abort('cancelled'))
    expect(report).toMatchObject({ text: '', error: { class: 'exit' } })
    await expect(readFile(join(bench.directory, 'claude-sessions.json'))).rejects.toThrow(/ENOENT/)
  })
})

describe('the process group of a program', () => {
  it('is recorded before the program has its prompt', async () => {
    await using bench = await openCommandBench()
    const told: ChildIdentity[] = []
    let finish = () => {}
    const recorded = new Promise<void>((resolve) => {
      finish = resolve
    })
    const running = run(bench, program('show-surroundings'), {
      onProcess: async (child) => {
        told.push(child)
        await recorded
      },
    })
    await until(() => told.length === 1)
    expect(await lives(told[0]!.pgid)).toBe(true)
    expect(told[0]!.identity).toMatch(/\/\S+/)
    finish()
    expect(JSON.parse((await running).text).prompt).toBe('Look after the lab.')
  })

  it('ends with a run that was lost before the program had its prompt', async () => {
    await using bench = await openCommandBench()
    let pid = 0
    const onProcess = async (child: ChildIdentity) => {
      pid = child.pgid
      throw new Error('another process has this run')
    }
    await expect(run(bench, program('never-reads'), { onProcess })).rejects.toThrow('another process has this run')
    expect(await lives(pid)).toBe(false)
  })

  it.each([
    ['a leader that ignores SIGTERM', 'exec "$0" "$1" 2> ready'],
    ['a leader that ends by SIGTERM, before the others', '"$0" "$1" 2> ready; exit 1'],
  ])('has five seconds to end after SIGTERM, with %s, and then dies with its grandchildren', async (_, shell) => {
    await using bench = await openCommandBench()
    const { clock } = bench.foundation
    const stop = new AbortController()
    let leader = 0
    const config = { ...program('stubborn'), argv: ['/bin/sh', '-c', shell, ...program('stubborn').argv] }
    const onProcess = async (child: ChildIdentity) => {
      leader = child.pgid
    }
    const running = bench.runner.run(runRequest({ runner: config, onProcess }), stop.signal)
    const file = () => readFile(join(bench.directory, 'ready'), 'utf8').catch(() => '')
    await until(async () => (await file()).endsWith('\n'))
    const grandchild = Number((await file()).slice('ready '.length))
    stop.abort('timed_out')
    await until(() => clock.nextWake !== undefined)
    clock.advance(4_999)
    await until(() => clock.nextWake === clock.now() + 1)
    expect(await lives(grandchild)).toBe(true)
    clock.advance(1)
    await running
    expect(await lives(leader)).toBe(false)
    expect(await lives(grandchild)).toBe(false)
  })

  it('ends with the program, and what has left the group does not hold the run up', async () => {
    await using bench = await openCommandBench()
    const report = await run(bench, program('leaves-children'))
    const { inGroup, outside } = JSON.parse(report.text) as { inGroup: number; outside: number }
    expect(report.exitCode).toBe(0)
    expect(await lives(inGroup)).toBe(false)
    expect(await lives(outside)).toBe(true)
    process.kill(outside, 'SIGKILL')
  })
})

describe('what agents print', () => {
  it('claude: one JSON document', async () => {
    await using bench = await openCommandBench()
    expect(await run(bench, claude)).toEqual({
      text: 'I have read 1 prompts, the last one of 19 characters.',
      exitCode: 0,
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tokensIn: 1200,
      tokensOut: 34,
      costUsd: 0.0125,
    })
  })

  it('opencode: the text of all its events, without what it thought and did', async () => {
    await using bench = await openCommandBench()
    const config = program('opencode', {
      arguments: ['run', '--format', 'json'],
      sessionArgs: ['--session', '{session_id}'],
      resultFrom: 'ndjson:part.text[type=text]',
      sessionFrom: 'ndjson:sessionID',
    })
    expect(await run(bench, config)).toEqual({
      text: 'Let me look.\nIt is done.',
      exitCode: 0,
      sessionId: 'ses_1ea551140ffedVQFo35xGxPtJ8',
      tokensIn: 200,
      tokensOut: 40,
      costUsd: 0.75,
    })
    expect((await run(bench, { ...config, sessionFrom: 'sessionID', resultFrom: 'part.text' })).text).toContain('done')
  })

  it('codex: the last message of its events', async () => {
    await using bench = await openCommandBench()
    const config = program('codex', {
      arguments: ['exec', '--json'],
      sessionArgs: ['resume', '{session_id}', '-'],
      resultFrom: 'ndjson-last:item.text[type=item.completed,item.type=agent_message]',
      sessionFrom: 'ndjson:thread_id',
    })
    expect(await run(bench, config)).toEqual({
      text: 'There are two files.',
      exitCode: 0,
      sessionId: '0199a213-81c0-7800-8aa1-bbab2a035a53',
      tokensIn: 24763,
      tokensOut: 122,
    })
  })

  it('nothing that result_from points at is said', async () => {
    await using bench = await openCommandBench()
    expect(await run(bench, { ...script(`process.stdout.write('{"other":1}')`), resultFrom: 'json:result' })).toEqual({
      text: '',
      exitCode: 0,
      warnings: ['The output has nothing where result_from points, so the result is empty.'],
    })
    const plain = await run(bench, { ...script(`process.stdout.write('plain text')`), resultFrom: 'json:result' })
    expect(plain).toMatchObject({ text: 'plain text', warnings: [expect.stringMatching(/no JSON/)] })
  })

  it('a document beyond 8 MiB is not read, and said not to be', async () => {
    await using bench = await openCommandBench()
    const code = `process.stdout.write(JSON.stringify({ session_id: 's1', filling: 'x'.repeat(9_000_000), result: 'ok' }, null, 1))`
    const report = await run(bench, { ...script(code), resultFrom: 'json:result' })
    expect(report.warnings).toEqual([expect.stringMatching(/longer than 8 MiB/)])
    expect(report.text.startsWith('{\n "session_id": "s1"')).toBe(true)
    expect(Buffer.byteLength(report.text)).toBeLessThanOrEqual(65_536)
  })
})

describe('the session of a group', () => {
  it('goes on from run to run, whatever the run was for; isolated runs share nothing', async () => {
    await using bench = await openCommandBench()
    const first = await run(bench, claude)
    const second = await run(bench, claude)
    expect(second).toMatchObject({ sessionId: first.sessionId, text: expect.stringMatching(/read 2 prompts/) })
    const isolated = await run(bench, claude, { contextMode: 'isolated' })
    expect(isolated.text).toMatch(/read 1 prompts/)
    expect(isolated.sessionId).not.toBe(first.sessionId)
    expect((await run(bench, claude)).text).toMatch(/read 3 prompts/)
  })

  it('that the program does not know any more is begun anew, once, with a warning', async () => {
    await using bench = await openCommandBench()
    await bench.conversations.saveSession(runRequest({ runner: claude }).group, 'forgotten')
    const told: ChildIdentity[] = []
    const onProcess = async (child: ChildIdentity) => {
      told.push(child)
    }
    const report = await run(bench, claude, { onProcess })
    expect(report).toMatchObject({
      text: expect.stringMatching(/read 1 prompts/),
      exitCode: 0,
      warnings: ['The program did not continue its stored session, so it was run once more with a fresh one.'],
    })
    expect(report).not.toHaveProperty('error')
    expect(new Set(told.map(({ pgid }) => pgid)).size).toBe(2)
    expect((await run(bench, claude)).sessionId).toBe(report.sessionId)
  })

  it('is kept through a run that fails with a result, and that is not run twice', async () => {
    await using bench = await openCommandBench()
    const { sessionId } = await run(bench, claude)
    const failed = await run(bench, claude, { prompt: 'overloaded' })
    expect(failed).toMatchObject({
      text: 'API Error: 529 Overloaded',
      error: { class: 'exit', text: 'The program ended with exit code 1: API Error: 529 Overloaded', transient: true },
    })
    expect(failed).not.toHaveProperty('warnings')
    expect(await run(bench, claude)).toMatchObject({ sessionId, text: expect.stringMatching(/read 2 prompts/) })
  })

  it('is not begun anew without end', async () => {
    await using bench = await openCommandBench()
    const config = { ...script('process.exitCode = 1'), sessionArgs: ['{session_id}'], sessionFrom: 'json:id' }
    await bench.conversations.saveSession(runRequest({ runner: config }).group, 'stored')
    let started = 0
    const onProcess = async () => {
      started += 1
    }
    expect(await run(bench, config, { onProcess })).toMatchObject({ error: { class: 'exit' } })
    expect(started).toBe(2)
  })

  it('is never an id that would be read as an option', async () => {
    await using bench = await openCommandBench()
    const config = { ...script(`process.stdout.write('{"id":"--dangerous"}')`), sessionFrom: 'json:id' }
    expect(await run(bench, config)).not.toHaveProperty('sessionId')
  })

  it('is not saved by a run that was stopped', async () => {
    await using bench = await openCommandBench()
    const stop = new AbortController()
    const code = `process.on('SIGTERM', () => { process.stdout.write('{"id":"late"}', () => process.exit(0)) })
      process.stderr.write('ready'); setInterval(() => {}, 1_000_000)`
    const config = { ...script(code), argv: ['/bin/sh', '-c', 'exec "$0" "$@" 2> ready', ...script(code).argv] }
    const request = runRequest({ runner: { ...config, sessionArgs: ['{session_id}'], sessionFrom: 'json:id' } })
    const running = bench.runner.run(request, stop.signal)
    await until(async () => (await readFile(join(bench.directory, 'ready'), 'utf8').catch(() => '')) === 'ready')
    stop.abort('fenced')
    expect(await running).toMatchObject({ sessionId: 'late', exitCode: 0 })
    expect(await bench.conversations.sessionOf(request.group)).toBeUndefined()
  })
})
