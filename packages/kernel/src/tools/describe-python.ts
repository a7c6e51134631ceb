import type { PythonApi, PythonApiEntry } from './python-api.js'

const indent = '    '

/** Every call in one line, by subject: the whole module at a glance. */
export function listPython({ about, entries }: PythonApi): string {
  const subjects = [...new Set(entries.map(({ subject }) => subject))]
  const lists = subjects.map((subject) => {
    const members = entries.filter((entry) => entry.subject === subject)
    return [`${subject}:`, ...members.map((entry) => `- ${entry.signature}: ${firstSentence(entry.doc)}`)].join('\n')
  })
  return [`Python module vibeweaver. ${about}`, ...lists].join('\n\n')
}

/** Signatures and docstrings in full. */
export function describePython({ entries }: PythonApi): string {
  return entries.map(describeEntry).join('\n\n')
}

export function describeEntry({ signature, doc, methods }: PythonApiEntry): string {
  const own = [signature, indented(doc, indent)]
  return [
    ...own,
    ...methods.map((method) => `${indent}.${method.signature}\n${indented(method.doc, indent + indent)}`),
  ].join('\n')
}

/** As agents write it: with or without the module's name and brackets; a method by its class. Undefined if there is none. */
export function findEntry({ entries }: PythonApi, topic: string): PythonApiEntry | undefined {
  const wanted = topic.replace(/^(import )?vibeweaver\./i, '').replace(/\(.*\)?$/s, '')
  const [name = '', method] = wanted.split('.')
  const exact = entries.find((entry) => entry.name === name)
  const found = exact ?? entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase())
  if (method === undefined) return found
  return found?.methods.some(({ signature }) => signature.startsWith(`${method}(`)) ? found : undefined
}

function firstSentence(doc: string): string {
  const paragraph = doc.split('\n\n')[0]!.replaceAll('\n', ' ')
  return /^.*?[.](?= [A-Z`"]|$)/.exec(paragraph)?.[0] ?? paragraph
}

function indented(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by)
}
