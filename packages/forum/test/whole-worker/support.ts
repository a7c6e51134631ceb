import { RpcError } from '@callboard/worker'
import { type TestCallOptions, VirtualClock } from '@callboard/worker/testing'
import { onTestFinished } from 'vitest'
import { type ForumServer, type ForumServerOptions, startForumServer } from '../../src/demo/index.js'
import { type Answer, ada, openWholeForum, type WholeForum, type WholeForumOptions } from '../support/whole-forum.js'

export const writing = { allow_writes: true, read_only: false } as const

/** Closed at the end of the test. */
export async function forum(options: ForumServerOptions = {}): Promise<ForumServer> {
  const server = await startForumServer({ village: false, ...options })
  onTestFinished(() => server.close())
  for (const username of ['ada', 'bob'])
    if (server.forum.users.find(username) === undefined) server.forum.addUser(username)
  return server
}

/** Closed at the end of the test. */
export async function worker(options: WholeForumOptions = {}): Promise<WholeForum> {
  const opened = await openWholeForum(options)
  onTestFinished(() => opened[Symbol.asyncDispose]())
  return opened
}

/** A forum with the worker's clock, and the worker with an admin's key for it, which acts as ada and may write. */
export async function writable(options: ForumServerOptions = {}, config: object = {}) {
  const clock = new VirtualClock()
  const server = await forum({ clock, ...options })
  const whole = await worker({ clock, config: { ...writing, auth_pairs: [adminOf(server)], ...config } })
  await whole.select(server.base)
  const topic = server.forum.addTopic({ title: 'A place to write', username: 'ada', raw: 'Write here, please.' })
  return { clock, server, whole, topic }
}

export const adminOf = ({ base, keys }: ForumServer, api_username = 'ada') => ({
  site: base,
  api_key: keys.admin.key,
  api_username,
})

export const userOf = ({ base, keys }: ForumServer, username: string) => {
  const { key, clientId } = keys.user(username)
  return { site: base, user_api_key: key, user_api_client_id: clientId }
}

/** Lets as much time pass as it takes. */
export async function inTime<Result>(whole: WholeForum, result: Promise<Result>): Promise<Result> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  result.then(over, over)
  for (;;) {
    await whole.settle()
    if (isOver) return result
    const { nextWake } = whole.clock
    if (nextWake !== undefined) whole.clock.advance(nextWake - whole.clock.now())
  }
}

export const ask = (whole: WholeForum, tool: string, args: object, who?: TestCallOptions): Promise<Answer> =>
  inTime(whole, whole.ask(tool, args, who))

export const refusal = (whole: WholeForum, tool: string, args: object, who?: TestCallOptions): Promise<Answer> =>
  inTime(whole, whole.refusal(tool, args, who))

/** The JSON-RPC error of a resource that can't be read. */
export async function resourceError(whole: WholeForum, uri: string, who: TestCallOptions = ada): Promise<Answer> {
  try {
    throw new Error(`${uri} was read: ${JSON.stringify(await inTime(whole, whole.read(uri, who)))}`)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { code: error.code, message: error.message, data: error.data }
  }
}
