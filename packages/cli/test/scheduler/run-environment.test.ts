import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { AgentSession } from './support/agent-session.js'
import { commandOf, SchedulerInstallation, soon } from './support/scheduler-installation.js'

/** Each is a secret of the machine, of the hub or of the worker. */
const secrets = {
  MAIL_HMAC_KEY: randomBytes(32).toString('hex'),
  SMTP_URL: `smtp://callboard:${randomBytes(16).toString('hex')}@127.0.0.1:1`,
  IMAP_URL: `imap://callboard:${randomBytes(16).toString('hex')}@127.0.0.1:1`,
  BRAVE_API_KEY: randomBytes(16).toString('hex'),
  AWS_SECRET_ACCESS_KEY: randomBytes(16).toString('hex'),
  GITHUB_TOKEN: randomBytes(16).toString('hex'),
}

it('a program sees what it was promised by name, and no secret of the machine, the hub or the worker', async () => {
  const runner = commandOf('holding-agent')
  const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner, env_allow: ['MODEL_KEY'] }]
  const variables = { ...secrets, MAIL_ADDRESS: 'callboard@example.org', MODEL_KEY: 'for this group', LANG: 'C.UTF-8' }
  const installation = new SchedulerInstallation({ groups, variables })
  await installation.up()
  using agent = await AgentSession.open(installation)
  await agent.get('schedule_task', { prompt: 'Work', schedule_type: 'once', ...soon() })

  const { environment } = await installation.read<{ readonly environment: Record<string, string> }>(
    'main',
    'attempt-1.json',
  )
  expect(environment).toEqual({
    PATH: process.env['PATH'],
    HOME: installation.directory,
    LANG: 'C.UTF-8',
    MODEL_KEY: 'for this group',
    CALLBOARD_RUNTIME: installation.runtime,
    CALLBOARD_TOKEN: expect.stringMatching(/./),
    CALLBOARD_RUN_ID: expect.stringMatching(/^run_/),
    CALLBOARD_IDEMPOTENCY_KEY: expect.stringMatching(/^task_/),
  })
  const files = ['operator.secret', 'sign-in.secret'].map((file) => readFileSync(join(installation.data, file), 'utf8'))
  const seen = JSON.stringify(environment)
  for (const secret of [...Object.values(secrets), ...files.map((file) => file.trim())]) {
    expect(seen).not.toContain(secret)
  }
})
