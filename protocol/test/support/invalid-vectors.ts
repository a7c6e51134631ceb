import type { Message } from '../../src/messages.js'
import { float64, join, pack, Raw } from './msgpack-writer.js'
import { ascending, epoch, json, sample } from './samples.js'
import { batchHead, headOf, nested, padded } from './valid-vectors.js'
import { type FrameText, hex, messageText, type Vector } from './vector.js'

type Head = { readonly [key: string]: unknown }

/** Every vector that holds at least one fault. */
export function invalidVectors(): Vector[] {
  return [
    ...frameVectors(),
    ...headVectors(),
    ...batchVectors(),
    ...typeVectors(),
    ...missingVectors(),
    ...fieldVectors(),
    ...bodyVectors(),
  ]
}

const bye = hex(pack({ type: 'bye', epoch }))
const cancel = sample('cancel')
const cancelHead = headOf(cancel)

function frameVectors(): Vector[] {
  const sessions = hex(pack({ type: 'sessions' }))
  return [
    one('frames-none', 'CB-4', 'frame_count', 'Nothing behind the routing id.', []),
    one('frames-three', 'CB-4', 'frame_count', 'A third frame.', [sessions, hex(json({ sessions: [] })), '00']),
    one('frames-three-empty', 'CB-4', 'frame_count', 'An empty delimiter as REQ sockets send it, in front.', [
      '',
      sessions,
      '7b7d',
    ]),
    one('head-too-large', 'CB-4', 'head_too_large', 'A head of 262,145 bytes.', [padded(cancelHead, 262_145)]),
    one('head-too-large-garbage', 'CB-4', 'head_too_large', 'Its size is judged before its contents.', [
      [{ repeat: 'c1', times: 262_145 }],
    ]),
    one('body-too-large', 'CB-4', 'body_too_large', 'A body of 4,194,305 bytes.', [
      sessions,
      [{ repeat: '20', times: 4_194_305 }],
    ]),
    one('body-too-large-batch', 'CB-9', 'body_too_large', 'Each body would do, together they do not.', [
      hex(
        pack([
          { type: 'sessions', bytes: 4_194_304 },
          { type: 'sessions', bytes: 1 },
        ]),
      ),
      [{ repeat: '20', times: 4_194_305 }],
    ]),
  ]
}

function headVectors(): Vector[] {
  const inUnknownKey = (value: string): string => hex(pack({ type: 'bye', epoch, x: new Raw(value) }))
  const malformed = (name: string, about: string, head: string): Vector =>
    one(`head-${name}`, 'CB-5', 'head_malformed', about, [head])
  return [
    malformed('empty', 'No byte at all.', ''),
    malformed('string', 'A string, not a map.', hex(pack('bye'))),
    malformed('integer', 'An integer, not a map.', '07'),
    malformed('nil', 'nil, not a map.', 'c0'),
    malformed('binary', 'Binary, not a map.', hex(pack(ascending(4)))),
    malformed('json', 'JSON, not msgpack.', hex(Buffer.from('{"type":"bye"}'))),
    malformed('trailing', 'A byte behind the map.', `${bye}00`),
    malformed('two-values', 'Two maps, one behind the other.', `${bye}${bye}`),
    malformed('truncated', 'The last byte is missing.', bye.slice(0, -2)),
    malformed('truncated-number', 'A uint 64 with four bytes.', `82${hex(pack('type'))}cf00000000`),
    malformed('never-used-tag', 'The tag 0xc1.', inUnknownKey('c1')),
    malformed(
      'record',
      "msgpackr's record definition (extension 0x72), as its default settings write a map.",
      'd4724092a474797065a565706f6368a3627965ac306b33663961326237633164',
    ),
    malformed('extension-fixed', 'fixext 1, which some libraries write for undefined.', inUnknownKey('d4 00 00')),
    malformed('extension-timestamp', 'The standard timestamp, fixext 4.', inUnknownKey('d6 ff 6b000000')),
    malformed('extension-timestamp-64', 'The standard timestamp, fixext 8.', inUnknownKey('d7 ff 0000000000000000')),
    malformed('extension-8', 'ext 8.', inUnknownKey('c7 01 05 00')),
    malformed('extension-16', 'ext 16.', inUnknownKey('c8 0001 05 00')),
    malformed('extension-32', 'ext 32.', inUnknownKey('c9 00000001 05 00')),
    malformed('count-array-32', 'An array that promises 4,294,967,295 values.', inUnknownKey('dd ffffffff')),
    malformed('count-array-16', 'An array that promises 65,535 values.', inUnknownKey('dc ffff')),
    malformed('count-map-32', 'A map that promises 4,294,967,295 pairs.', 'dfffffffff'),
    malformed('count-map-odd', 'A map whose last key has no value.', '81a474797065'),
    malformed('count-string-32', 'A string that promises 4 GiB.', inUnknownKey('db ffffffff')),
    malformed('count-binary-32', 'Binary that promises 4 GiB.', inUnknownKey('c6 ffffffff 00')),
    malformed('depth-9', 'Nine maps and arrays around a value.', hex(pack({ ...cancelHead, future: nested(8) }))),
    malformed('depth-1000', 'A thousand arrays, one in the other.', `${'91'.repeat(1000)}c0`),
    malformed('depth-maps', 'A thousand maps, one in the other.', `${'81a161'.repeat(1000)}c0`),
    one('batch-depth-9', 'CB-5', 'head_malformed', "A batch's array is one container more.", [
      hex(pack([{ ...cancelHead, future: nested(7) }])),
    ]),
    one(
      'batch-extension',
      'CB-8',
      'head_malformed',
      'An extension type anywhere in the head makes all of it unreadable.',
      [hex(pack([cancelHead, { ...cancelHead, x: new Raw('d40000') }]))],
    ),
  ]
}

function batchVectors(): Vector[] {
  const progress = sample('progress')
  const body = 'body' in progress ? progress.body : new Uint8Array(0)
  const length = body.length
  const progressWith = (bytes: unknown): Head => ({ ...headOf(progress), bytes })
  const lengths = (name: string, about: string, heads: readonly Head[], joined?: Uint8Array): Vector =>
    one(`batch-${name}`, 'CB-9', 'batch_lengths', about, [hex(pack(heads)), ...(joined ? [hex(joined)] : [])])
  return [
    one('batch-empty', 'CB-9', 'batch_too_large', 'A batch of nothing.', ['90']),
    one('batch-129', 'CB-9', 'batch_too_large', '129 messages.', [
      hex(pack(Array.from({ length: 129 }, () => ({ type: 'bye', epoch })))),
    ]),
    lengths('short', 'The lengths leave a byte over.', [progressWith(length - 1)], body),
    lengths('long', 'The lengths want a byte more than there is.', [progressWith(length), progressWith(1)], body),
    lengths('huge', 'A length beyond any frame.', [progressWith(9_007_199_254_740_991), progressWith(1)], body),
    lengths(
      'negative',
      'A negative length that makes the sum right.',
      [progressWith(-1), progressWith(length + 1)],
      body,
    ),
    lengths('fraction', 'Lengths that are no whole numbers.', [progressWith(length - 0.5), progressWith(0.5)], body),
    lengths('text', 'A length that is a string.', [progressWith(String(length))], body),
    lengths('no-second-frame', 'Lengths, but no second frame.', [progressWith(length)]),
    lengths('unclaimed', 'A second frame that nobody claims.', [cancelHead, cancelHead], body),
    several(
      'batch-not-a-map',
      'CB-8',
      'Among the heads is one that is no map.',
      pack([cancelHead, 7, cancelHead]),
      undefined,
      [cancel, cancel],
      ['head_malformed'],
    ),
    several(
      'batch-nested',
      'CB-8',
      'A batch in a batch.',
      pack([cancelHead, [cancelHead]]),
      undefined,
      [cancel],
      ['head_malformed'],
    ),
    several(
      'batch-neighbours',
      'CB-8',
      'A bad head costs its own message only; the bodies behind it are found all the same.',
      pack([{ ...progressWith(length), id: '' }, cancelHead, { type: 'wizardry', bytes: 3 }, progressWith(length)]),
      join([body, Uint8Array.of(1, 2, 3), body]),
      [cancel, progress],
      ['field_invalid', 'type_unknown'],
    ),
    several(
      'batch-bytes-missing',
      'CB-9',
      'A type with a body, without `bytes`.',
      pack([headOf(progress), batchHead(progress)]),
      body,
      [progress],
      ['body_missing'],
    ),
    several(
      'batch-bytes-unexpected',
      'CB-9',
      'A type without a body, with `bytes`.',
      pack([{ ...cancelHead, bytes: 0 }, cancelHead]),
      undefined,
      [cancel],
      ['body_unexpected'],
    ),
  ]
}

function typeVectors(): Vector[] {
  const names = ['wizardry', 'HELLO', '', '__proto__', 'constructor', 'toString', 'response-result']
  return [
    ...names.map((type) =>
      one(`type-${slug(type)}`, 'CB-82', 'type_unknown', `The type ${JSON.stringify(type)}.`, [
        hex(pack({ type, epoch })),
      ]),
    ),
    one('type-long', 'CB-82', 'type_unknown', 'A type of 10,000 characters.', [
      [`82${hex(pack('epoch'))}${hex(pack(epoch))}${hex(pack('type'))}da2710`, { repeat: '78', times: 10_000 }],
    ]),
  ]
}

function missingVectors(): Vector[] {
  const missing = (name: string, about: string, head: Head, body?: Uint8Array): Vector =>
    one(
      `missing-${name}`,
      'CB-82',
      'field_missing',
      about,
      body === undefined ? [hex(pack(head))] : [hex(pack(head)), hex(body)],
    )
  const request = sample('request') as Extract<Message, { type: 'request' }>
  const { session: _, ...nobody } = request.caller
  return [
    missing('everything', 'An empty map.', {}),
    missing('type', 'No type.', { epoch }),
    missing('type-nil', 'A type that is nil.', { type: null, epoch }),
    missing('type-not-a-string', 'A type that is no string.', { type: 1, epoch }),
    one('missing-type-proto', 'CB-7', 'field_missing', 'A type that is only in a map named __proto__.', [
      `81${hex(pack('__proto__'))}${hex(pack({ type: 'bye', epoch }))}`,
    ]),
    missing('epoch', 'BYE without an epoch.', { type: 'bye' }),
    missing('epoch-nil', 'A required field that is nil is absent.', { type: 'bye', epoch: null }),
    missing('cancel-id', 'CANCEL without an id.', { type: 'cancel', reason: 'cancelled' }),
    missing('request-caller', 'REQUEST without a caller.', { ...headOf(request), caller: null }, request.body),
    missing(
      'request-caller-session',
      'A caller without a session.',
      { ...headOf(request), caller: nobody },
      request.body,
    ),
    missing(
      'run-id',
      'A run without an id.',
      { ...headOf(request), caller: { ...request.caller, run: { attempt: 1, triggerDepth: 0 } } },
      request.body,
    ),
    missing('result-failure', 'A failure that is not there.', { type: 'result', id: 'c2', outcome: 'failure' }),
    one('missing-event-uri', 'CB-54', 'field_missing', 'EVENT resource_updated without a uri.', [
      hex(pack({ type: 'event', epoch, kind: 'resource_updated' })),
    ]),
  ]
}

function fieldVectors(): Vector[] {
  const invalid = (name: string, sampleName: string, fields: Head): Vector => {
    const message = sample(sampleName)
    const frames = [hex(pack({ ...headOf(message), ...fields })), ...('body' in message ? [hex(message.body)] : [])]
    return one(`field-${name}`, 'CB-82', 'field_invalid', `${sampleName}: ${Object.keys(fields).join(', ')}.`, frames)
  }
  const caller = (sample('request') as Extract<Message, { type: 'request' }>).caller
  const failure = { code: 'deadlock', message: 'x', retryable: false }
  return [
    invalid('serial-2-53', 'heartbeat', { serial: new Raw('cf 0020000000000000') }),
    invalid('serial-uint64', 'heartbeat', { serial: new Raw('cf ffffffffffffffff') }),
    invalid('serial-negative', 'heartbeat', { serial: -1 }),
    invalid('serial-int64', 'heartbeat', { serial: new Raw('d3 8000000000000000') }),
    invalid('serial-text', 'heartbeat', { serial: '1' }),
    invalid('serial-boolean', 'heartbeat', { serial: true }),
    invalid('load-fraction', 'heartbeat', { load: 1.5 }),
    invalid('load-not-a-number', 'heartbeat', { load: Number.NaN }),
    invalid('load-infinite', 'heartbeat', { load: new Raw(hex(float64(Number.POSITIVE_INFINITY))) }),
    invalid('load-36865', 'heartbeat', { load: 36_865 }),
    invalid('time-microseconds', 'heartbeat_echo'.replace('_', '-'), { now: 1_794_832_000_123_000 }),
    invalid('epoch-upper-case', 'bye', { epoch: '0K3F9A2B7C1D' }),
    invalid('epoch-short', 'bye', { epoch: '0k3f9a2' }),
    invalid('epoch-long', 'bye', { epoch: 'a'.repeat(33) }),
    invalid('epoch-line-feed', 'bye', { epoch: `${epoch}\n` }),
    invalid('epoch-binary', 'bye', { epoch: Buffer.from(epoch) }),
    invalid('hello-one-version', 'hello', { versions: [1] }),
    invalid('hello-three-versions', 'hello', { versions: [1, 2, 3] }),
    invalid('hello-reversed', 'hello', { versions: [2, 1] }),
    invalid('hello-number', 'hello', { versions: 1 }),
    invalid('challenge-short-nonce', 'challenge', { nonce: ascending(31) }),
    invalid('challenge-long-nonce', 'challenge', { nonce: ascending(33) }),
    invalid('challenge-text-nonce', 'challenge', { nonce: 'x'.repeat(32) }),
    invalid('challenge-list-nonce', 'challenge', { nonce: [...ascending(32)] }),
    invalid('challenge-version-0', 'challenge', { version: 0 }),
    invalid('ready-service-upper-case', 'ready', { service: 'Greeter' }),
    invalid('ready-service-digit', 'ready', { service: '1greeter' }),
    invalid('ready-service-long', 'ready', { service: `a${'b'.repeat(32)}` }),
    invalid('ready-service-line-feed', 'ready', { service: 'greeter\n' }),
    invalid('ready-instance-space', 'ready', { instance: 'a b' }),
    invalid('ready-instance-line-feed', 'ready', { instance: 'a\nb' }),
    invalid('ready-version-empty', 'ready', { version: '' }),
    invalid('ready-proof-short', 'ready', { proof: ascending(16) }),
    invalid('ready-proof-hexadecimal', 'ready', { proof: hex(ascending(32)) }),
    invalid('ready-concurrency-0', 'ready', { concurrency: 0 }),
    invalid('ready-concurrency-4097', 'ready', { concurrency: 4097 }),
    invalid('ready-heartbeat-99', 'ready', { heartbeatMs: 99 }),
    invalid('ready-heartbeat-60001', 'ready', { heartbeatMs: 60_001 }),
    invalid('ready-replicas', 'ready', { replicas: 'some' }),
    invalid('ready-held-4097', 'ready', { held: Array.from({ length: 4097 }, () => 'x') }),
    invalid('ready-held-empty-id', 'ready', { held: [''] }),
    invalid('ready-held-map', 'ready', { held: {} }),
    invalid('request-list-method', 'request', { method: 'tools/list' }),
    invalid('request-name-empty', 'request', { name: '' }),
    invalid('request-name-4097', 'request', { name: 'n'.repeat(4097) }),
    invalid('request-id-97', 'request', { id: 'i'.repeat(97) }),
    invalid('request-id-not-ascii', 'request', { id: 'é' }),
    invalid('request-caller-list', 'request', { caller: [] }),
    invalid('request-caller-binary', 'request', { caller: ascending(4) }),
    invalid('request-caller-depth-9', 'request', { caller: { ...caller, depth: 9 } }),
    invalid('request-caller-role', 'request', { caller: { ...caller, roles: ['admin'] } }),
    invalid('request-caller-three-roles', 'request', { caller: { ...caller, roles: ['agent', 'agent', 'agent'] } }),
    invalid('request-caller-group-257', 'request', { caller: { ...caller, group: 'g'.repeat(257) } }),
    invalid('request-caller-group-129-astral', 'request', { caller: { ...caller, group: '\u{1F3AD}'.repeat(129) } }),
    invalid('request-caller-run', 'request', { caller: { ...caller, run: 'run-7' } }),
    invalid('request-client-input', 'request', { client: { generation: 'modern', input: ['smell'], progress: false } }),
    invalid('response-outcome', 'response-result', { outcome: 'maybe' }),
    invalid('response-outcome-nil', 'response-result', { outcome: null }),
    invalid('response-outcome-proto', 'response-result', { outcome: '__proto__' }),
    invalid('response-outcome-to-string', 'response-result', { outcome: 'toString' }),
    invalid('response-outcome-failure', 'response-result', { outcome: 'failure' }),
    invalid('response-is-error-1', 'response-result', { isError: 1 }),
    invalid('not-started-reason', 'response-not-started', { reason: 'tired' }),
    invalid('result-outcome-not-started', 'result-result', { outcome: 'not_started' }),
    invalid('result-failure-code', 'result-failure', { failure: { ...failure, code: 'teapot' } }),
    invalid('result-failure-retryable', 'result-failure', { failure: { ...failure, retryable: 0 } }),
    invalid('result-failure-message-2049', 'result-failure', { failure: { ...failure, message: 'm'.repeat(2049) } }),
    invalid('reject-code', 'reject', { code: 'go_away' }),
    invalid('reject-retry-after', 'reject', { retryAfterMs: 3_600_001 }),
    invalid('log-level', 'log', { level: 'trace' }),
    invalid('cancel-reason', 'cancel', { reason: 'whim' }),
    invalid('input-timeout', 'input-required', { timeoutMs: 600_001 }),
    invalid('event-kind', 'event', { kind: 'weather_changed' }),
    invalid('event-uri-empty', 'event', { kind: 'resource_updated', uri: '' }),
    invalid('drain-acknowledged', 'drain', { acknowledged: 'yes' }),
    invalid('drain-ms', 'drain', { drainMs: 3_600_001 }),
    invalid('drain-hub-ends', 'drain', { hubEnds: 1 }),
  ]
}

function bodyVectors(): Vector[] {
  const withBody = ['ready', 'welcome', 'update', 'request', 'response-result', 'response-error', 'progress', 'log']
  const without = ['hello', 'challenge', 'cancel', 'response-not-started', 'result-failure', 'heartbeat', 'bye']
  return [
    ...[...withBody, 'input-required', 'resume', 'call', 'result-result', 'result-error', 'sessions'].map((name) =>
      one(`body-missing-${name}`, 'CB-4', 'body_missing', `${name} without its body.`, [
        hex(pack(headOf(sample(name)))),
      ]),
    ),
    ...without.map((name) =>
      one(`body-unexpected-${name}`, 'CB-4', 'body_unexpected', `${name} with a body.`, [
        hex(pack(headOf(sample(name)))),
        '7b7d',
      ]),
    ),
    one('body-unexpected-empty', 'CB-4', 'body_unexpected', 'An empty second frame is a body.', [bye, '']),
  ]
}

function one(name: string, clause: string, fault: string, about: string, frames: readonly FrameText[]): Vector {
  return { name, clause, about, frames, fault }
}

function several(
  name: string,
  clause: string,
  about: string,
  head: Uint8Array,
  joined: Uint8Array | undefined,
  messages: readonly Message[],
  faults: readonly string[],
): Vector {
  const frames = joined === undefined ? [hex(head)] : [hex(head), hex(joined)]
  return { name, clause, about, frames, messages: messages.map(messageText), faults }
}

const slug = (text: string): string => text.replaceAll(/[^a-zA-Z]+/g, '') || 'empty'
