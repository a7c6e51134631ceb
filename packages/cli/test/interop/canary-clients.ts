import { RawAgent, type RawMessage } from '@callboard/testkit'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { type AgentKind, connectAgent, httpTransport } from '../../../hub/test/mcp/agents.js'
import type { Loose } from '../../../hub/test/mcp/fake-hub.js'

/** A client with a word of its own in all that it sends; whatever it receives must hold no other client's. */
export interface CanaryClient {
  readonly canary: string
  /** By kind: the canaries of what came unasked. */
  readonly heard: Record<'progress' | 'log' | 'update' | 'question', string[]>
  ask(method: string, params: Loose): Promise<Loose>
  /** Calls the tool, and cancels when its progress comes. */
  callAndCancel(name: string, args: object): Promise<void>
  watch(uri: string): Promise<void>
  close(): Promise<void>
}

/** Is told of what holds a word of somebody else, or is no answer to anything. */
export type Alarm = (what: string) => void

const canaryPattern = /canary-\d+-[0-9a-z]+/g
const newHeard = (): CanaryClient['heard'] => ({ progress: [], log: [], update: [], question: [] })
const elicitation = { elicitation: { form: {} } }
const answerTo = (message: string) => ({ action: 'accept', content: { name: `${message} answers` } })

export async function canaryOnSocket(
  path: string,
  era: 'legacy' | 'modern',
  canary: string,
  alarm: Alarm,
): Promise<CanaryClient> {
  const heard = newHeard()
  const cancelOn = new Map<unknown, () => void>()
  const onMessage = (message: RawMessage) => {
    const { method, params = {}, id } = message as Loose
    switch (method) {
      case 'notifications/progress':
        cancelOn.get(params.progressToken)?.()
        return void heard.progress.push(params.message)
      case 'notifications/message':
        return void heard.log.push(params.data.canary)
      case 'notifications/resources/updated':
        return void heard.update.push(params.uri)
      case 'elicitation/create':
        heard.question.push(params.message)
        return agent.write({ jsonrpc: '2.0', id, result: answerTo(params.message) })
      case 'notifications/subscriptions/acknowledged':
        return undefined
      default:
        // An answer that nobody waits for, too.
        return alarm(`nobody asked for ${JSON.stringify(message)}`)
    }
  }
  const onLine = (line: Buffer) => {
    checkCanaries(line.toString(), canary, alarm)
    return false
  }
  const agent = await RawAgent.attach(path, { era, capabilities: elicitation, onMessage, onLine })
  let token = 0
  const withToken = (params: Loose) => {
    const level = era === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'info' } : {}
    return { ...params, _meta: { progressToken: ++token, ...level } }
  }
  const ask = async (method: string, params: Loose): Promise<Loose> => {
    const { result, error } = await agent.ask(method, withToken(params))
    if (result?.['resultType'] !== 'input_required') return result ?? { error }
    const [[key, request]] = Object.entries(result['inputRequests'] as Loose) as [[string, Loose]]
    heard.question.push(request.params.message)
    const inputResponses = { [key]: answerTo(request.params.message) }
    return ask(method, { ...params, inputResponses, requestState: result['requestState'] })
  }
  return {
    canary,
    heard,
    ask,
    callAndCancel: async (name, args) => {
      const params = withToken({ name, arguments: args })
      const started = new Promise<void>((resolve) => cancelOn.set(params._meta.progressToken, resolve))
      const { id, answer } = agent.begin('tools/call', params)
      answer.then(
        () => alarm(`an answer to the cancelled call ${id} of ${canary}`),
        () => undefined,
      )
      await started
      agent.notify('notifications/cancelled', { requestId: id })
    },
    watch: async (uri) => {
      if (era === 'legacy') return void (await agent.ask('resources/subscribe', { uri }))
      const notifications = { resourceSubscriptions: [uri] }
      agent.begin('subscriptions/listen', { notifications }).answer.catch(() => undefined)
      await agent.ask('server/discover')
    },
    close: async () => {
      agent.close()
      await agent.closed
    },
  }
}

export async function canaryOverHttp(url: URL, kind: AgentKind, canary: string, alarm: Alarm): Promise<CanaryClient> {
  const heard = newHeard()
  const transport = httpTransport(kind, url)
  const { client, ...agent } = await connectAgent(kind, transport)
  const deliver = transport.onmessage
  transport.onmessage = (message: unknown, ...more: unknown[]) => {
    checkCanaries(JSON.stringify(message), canary, alarm)
    deliver(message, ...more)
  }
  client.onerror = (error: Error) => {
    // What ends the stream of a cancelled request: the client has forgotten the request, and says so.
    if (!/unknown message ID: .*The request was cancelled/.test(error.message)) alarm(`${canary}: ${error}`)
  }
  client.fallbackNotificationHandler = async ({ method, params }: Loose) => {
    if (method === 'notifications/message') heard.log.push(params.data.canary)
    else if (method === 'notifications/resources/updated') heard.update.push(params.uri)
    else alarm(`nobody asked for ${method}`)
  }
  client.setRequestHandler(kind === 'sdk 1' ? ElicitRequestSchema : 'elicitation/create', ({ params }: Loose) => {
    heard.question.push(params.message)
    return answerTo(params.message)
  })
  const meta = agent.modern ? { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } } : {}
  // The SDK's client reports its own rounds of questions as progress too: those hold nobody's word.
  const onprogress = ({ message }: Loose) => void (/canary/.test(message) && heard.progress.push(message))
  return {
    canary,
    heard,
    ask: (method, params) => agent.request(method, { ...params, ...meta }, { onprogress }),
    callAndCancel: async (name, args) => {
      const abort = new AbortController()
      const options = {
        signal: abort.signal,
        onprogress: (progress: Loose) => {
          onprogress(progress)
          abort.abort()
        },
      }
      const params = { name, arguments: args, ...meta }
      await agent.request('tools/call', params, options).then(
        () => alarm(`an answer to a cancelled call of ${canary}`),
        () => undefined,
      )
    },
    watch: async (uri) => void (await agent.listen([uri])),
    close: () => agent.close(),
  }
}

function checkCanaries(text: string, own: string, alarm: Alarm): void {
  for (const [found] of text.matchAll(canaryPattern)) if (found !== own) alarm(`${own} received ${text}`)
}
