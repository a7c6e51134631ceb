import { expect, it, vi } from 'vitest'
import { AgentSession } from '../scheduler/support/agent-session.js'
import { SocialInstallation } from './support/social-installation.js'

const hour = 3_600_000

async function open() {
  const installation = new SocialInstallation()
  await installation.hub()
  await installation.social()
  const agent = await AgentSession.open(installation)
  const approvals = (...words: string[]) => installation.run(['approvals', ...words])
  const propose = async (...parts: string[]): Promise<{ id: number; rev: number }> => {
    const kind = parts.length === 1 ? 'tweet' : 'thread'
    return (await agent.get('propose_post', { parts, kind })).data
  }
  const item = async (id: number) => (await agent.get('get_item', { id })).data
  return { installation, agent, approvals, propose, item }
}

it('callboard approvals lists, shows, edits, rejects, approves and looks at what went out', async () => {
  const { agent, approvals, propose, item } = await open()
  using _ = agent
  expect((await approvals()).stdout).toBe('Nothing waits for approval.\n')
  await propose('A first post about spoons.')
  await propose('Carving begins with the wood.', 'Then an axe takes away the rough.')
  await propose('Nobody wants to read this.')

  const listed = await approvals()
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout).toMatch(/^1 +tweet +local +- +agent:main .*A first post about spoons\.$/m)
  expect(listed.stdout).toMatch(/^2 +thread +local /m)

  const shown = await approvals('show', '2')
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  const { content_hash } = await item(2)
  expect(shown.stdout).toMatch(/^Item 2: thread on local as you, pending\n/)
  expect(shown.stdout).toContain(`hash        ${content_hash}`)
  expect(shown.stdout).toContain('Part 2 of 2 (33 of 500 characters):\n  | Then an axe takes away the rough.\n')

  expect(await approvals('edit', '2', '--text', 'First the wood.', '--text', 'Then the axe.')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Item 2 has rev 2 now (15 of 500 characters; 13 of 500 characters)'),
  })
  expect(await approvals('edit', '2', '--text', 'First the wood.', '--text', 'x'.repeat(501))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('(tweet_too_long)'),
  })
  expect(await approvals('reject', '3', '--reason', 'not our tone')).toMatchObject({
    code: 0,
    stdout: 'Rejected item 3.\n',
  })
  expect(await item(3)).toMatchObject({ status: 'rejected', reason: 'not our tone' })
  expect(await approvals('approve', '3', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Item 3 is rejected: only what is pending can be approved.'),
  })

  const approved = await approvals('approve', '--all', '--yes')
  expect(approved).toMatchObject({ code: 0, stderr: '' })
  expect(approved.stdout).toMatch(/Item 1: approved\nItem 2: approved\nApproved 2 of 2\.\n$/)
  const posted = async () => {
    const { stdout } = await approvals('outbox')
    expect(stdout).toMatch(/^1 +local +posted .* 1\/1 +yes +local:/m)
    expect(stdout).toMatch(/^2 +local +posted .* 2\/2 +yes +local:/m)
  }
  await vi.waitFor(posted, { timeout: 15_000, interval: 200 })
  expect((await approvals('show', '2')).stdout).toMatch(/part 2: verified, local:\d+\n/)
  expect(await approvals('show', '99')).toMatchObject({ code: 1, stderr: expect.stringContaining('(not_found)') })
}, 90_000)

it('callboard approvals approves nothing that changed since it was shown, and takes an approval back', async () => {
  const { installation, agent, approvals, propose, item } = await open()
  using _ = agent
  const { id, rev } = await propose('What a person reads.')
  const seen = await item(id)
  await agent.get('edit_item', { id, rev, parts: ['What nobody has read.'] })
  const variables = { CALLBOARD_TOKEN: installation.operatorSecret }
  const words = ['call', '--as', 'operator', 'approve_item', `id=${id}`, `content_hash=${seen.content_hash}`]
  expect(await installation.run(words, variables)).toMatchObject({ code: 1, stdout: '' })
  expect((await item(id)).status).toBe('pending')

  const scheduled_for = new Date(Date.now() + hour).toISOString()
  const later = (await agent.get('propose_post', { parts: ['For later.'], kind: 'tweet', scheduled_for })).data
  expect(await approvals('approve', String(later.id), '--yes')).toMatchObject({ code: 0 })
  expect((await item(later.id)).status).toBe('scheduled')
  expect((await approvals('outbox')).stdout).toMatch(new RegExp(`^${later.id} +local +queued `, 'm'))
  expect(await approvals('unschedule', String(later.id))).toMatchObject({ code: 0, stderr: '' })
  expect(await item(later.id)).toMatchObject({ status: 'pending', outbox: null })
  expect((await approvals('outbox')).stdout).toBe('The outbox is empty.\n')
}, 90_000)
