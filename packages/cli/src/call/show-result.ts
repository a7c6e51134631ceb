import { writeFileSync } from 'node:fs'
import { complainContent, printContent } from '../output.js'

interface ContentBlock {
  readonly type: string
  readonly [key: string]: unknown
}

export interface ToolResult {
  readonly content?: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** For people: text as text, images and sounds as files, what a program run printed as it would have printed it. */
export function showResult(tool: string, { content = [], structuredContent, isError }: ToolResult): void {
  const run = programRun(structuredContent)
  if (run !== undefined) showRun(run)
  for (const block of content) {
    // The text of a result with a structure says the same once more.
    if (run !== undefined && block.type === 'text') continue
    showBlock(tool, block, isError === true ? complainContent : printContent)
  }
}

/** What a tool that runs programs returns; weave_eval does. */
interface ProgramRun {
  readonly stdout: string
  readonly stderr: string
  readonly result: unknown
  readonly error?: unknown
}

function programRun(value: unknown): ProgramRun | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { stdout, stderr } = value as Record<string, unknown>
  return typeof stdout === 'string' && typeof stderr === 'string' && 'result' in value
    ? (value as ProgramRun)
    : undefined
}

function showRun({ stdout, stderr, result, error }: ProgramRun): void {
  if (stdout !== '') printContent(withoutLastLineEnd(stdout))
  if (stderr !== '') complainContent(withoutLastLineEnd(stderr))
  if (result !== null && result !== undefined)
    printContent(typeof result === 'string' ? result : JSON.stringify(result))
  if (error !== null && error !== undefined) complainContent(typeof error === 'string' ? error : JSON.stringify(error))
}

function showBlock(tool: string, block: ContentBlock, write: (text: string) => void): void {
  const { type, text, data, mimeType } = block as ContentBlock & { text?: unknown; data?: unknown; mimeType?: unknown }
  if (type === 'text') write(String(text))
  else if (type === 'image' || type === 'audio') printContent(`${type} saved as ${save(tool, String(data), mimeType)}`)
  else if (type === 'resource_link') printContent(`${block['uri']}  ${block['name']}`)
  else if (type === 'resource') showResource(tool, block['resource'] as Readonly<Record<string, unknown>>)
  else printContent(JSON.stringify(block))
}

function showResource(tool: string, { uri, text, blob, mimeType }: Readonly<Record<string, unknown>>): void {
  if (typeof blob === 'string') printContent(`${uri} saved as ${save(tool, blob, mimeType)}`)
  else printContent(String(text))
}

/** In the working directory, under the first name that is free. */
function save(tool: string, base64: string, mimeType: unknown): string {
  const subtype = /^[a-z]+\/([a-z0-9]+)/.exec(String(mimeType))?.[1] ?? 'bin'
  for (let number = 1; ; number++) {
    const name = `${tool.replace(/[^A-Za-z0-9_.-]/g, '_')}-${number}.${subtype === 'jpeg' ? 'jpg' : subtype}`
    try {
      writeFileSync(name, Buffer.from(base64, 'base64'), { flag: 'wx' })
      return name
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function withoutLastLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}
