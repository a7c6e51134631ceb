import { echoed } from './echo-tool.js'

const repeatKey = '"repeat":'

/** The answer to a call of `echo`, without reading JSON: for floors, which know what their client sends. */
export function splicedAnswer(request: string): string {
  const id = request.slice(request.indexOf('"id":') + 5, request.indexOf(',"method"'))
  const start = request.indexOf('"text":"') + 8
  const text = request.slice(start, request.indexOf('"', start))
  const repeat = request.lastIndexOf(repeatKey)
  const answer = echoed({
    text,
    repeat: repeat === -1 ? 1 : Number.parseInt(request.slice(repeat + repeatKey.length), 10),
  })
  return `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${answer}"}]}}`
}
