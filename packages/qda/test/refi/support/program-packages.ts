import { type RawFile, rawZip } from './hostile-zip.js'

/** Packages as programs write them, each with its oddities. */

export const ids = {
  code: '11111111-0000-4000-8000-000000000001',
  source: '22222222-0000-4000-8000-000000000002',
  twin: '22222222-0000-4000-8000-000000000003',
  selection: '33333333-0000-4000-8000-000000000003',
  coding: '44444444-0000-4000-8000-000000000004',
  variable: '55555555-0000-4000-8000-000000000005',
  note: '66666666-0000-4000-8000-000000000006',
  case: '77777777-0000-4000-8000-000000000007',
} as const

const xmlHead = '<?xml version="1.0" encoding="utf-8"?>\n'
const codebook = `<CodeBook><Codes><Code guid="${ids.code}" name="Trust" isCodable="true" color="#f00"/></Codes></CodeBook>`
const coding = `<Coding guid="${ids.coding}"><CodeRef targetGUID="${ids.code}"/></Coding>`

function project(origin: string, inside: string): string {
  return `${xmlHead}<Project xmlns="urn:QDA-XML:project:1.0" name="Study" origin="${origin}">${inside}</Project>`
}

function selection(start: number, end: number, name: string, inside = coding): string {
  return `<PlainTextSelection guid="${ids.selection}" name="${name}" startPosition="${start}" endPosition="${end}">${inside}</PlainTextSelection>`
}

/** CRLF in the text, counted one; empty containers. */
export function atlasPackage(): Buffer {
  const source = `<TextSource guid="${ids.source}" name="Doc" plainTextPath="internal://${ids.source}.txt">${selection(4, 7, 'two')}</TextSource>`
  return packageOf(project('ATLAS.ti 23', `${codebook}<Sources>${source}</Sources><Sets/><Notes/>`), [
    { name: `sources/${ids.source}.txt`, data: 'one\r\ntwo' },
  ])
}

/** A byte order mark in front of both, sources of one name, the variables of a source in a case without a name, a remark. */
export function maxqdaPackage(): Buffer {
  const remark = selection(0, 3, '', '<Description>A remark</Description>')
  const sources = `<TextSource guid="${ids.source}" name="Interview" plainTextPath="internal://${ids.source}.txt">${remark}</TextSource><TextSource guid="${ids.twin}" name="Interview" plainTextPath="internal://${ids.twin}.txt"/>`
  const value = `<VariableValue><VariableRef targetGUID="${ids.variable}"/><IntegerValue>42</IntegerValue></VariableValue>`
  const cases = `<Cases><Case guid="${ids.case}">${value}<SourceRef targetGUID="${ids.source}"/></Case></Cases>`
  const variables = `<Variables><Variable guid="${ids.variable}" name="Age" typeOfVariable="Integer"/></Variables>`
  return packageOf(`\uFEFF${project('MAXQDA 24', `${variables}${cases}<Sources>${sources}</Sources>`)}`, [
    { name: `sources/${ids.source}.txt`, data: '\uFEFFone\r\ntwo' },
    { name: `sources/${ids.twin}.txt`, data: 'other' },
  ])
}

/** The other case of the folder, GUIDs in braces and upper case, a file `.root`, a docx beside the text, CRLF counted two. */
export function nvivoPackage(): Buffer {
  const braced = (guid: string) => `{${guid.toUpperCase()}}`
  const source = `<TextSource guid="${braced(ids.source)}" name="Doc" richTextPath="internal://${ids.source}.docx" plainTextPath="${ids.source}.txt">${selection(5, 8, 'two')}</TextSource>`
  const note = `<Notes><Note guid="${ids.note}" name="Memo" plainTextPath="internal://${ids.note}.txt"/></Notes>`
  const link = `<Links><Link guid="${ids.case}" direction="oneway" originGUID="${ids.source}" targetGUID="${braced(ids.note)}"/></Links>`
  return packageOf(project('NVivo', `${codebook}<Sources>${source}</Sources>${note}${link}`), [
    { name: '.root', data: '' },
    { name: `Sources/${ids.source}.docx`, data: 'PK' },
    { name: `Sources/${ids.source}.txt`, data: 'one\r\ntwo' },
    { name: `Sources/${ids.note}.txt`, data: 'A memo' },
  ])
}

/** No namespace, the text in the document, CRLF in files counted one, a graph, an element of its own. */
export function qualcoderPackage(): Buffer {
  const source = `<TextSource guid="${ids.source}" name="Doc"><PlainTextContent>one\r\ntwo</PlainTextContent>${selection(4, 7, 'two')}</TextSource>`
  const graph = `<Graphs><Graph guid="${ids.case}"><Vertex guid="${ids.code}" firstX="0" firstY="0"/></Graph></Graphs>`
  const text = `${codebook}<Sources>${source}</Sources>${graph}<Extra guid="${ids.twin}"><Deep/></Extra>`
  return packageOf(project('QualCoder 3.6', text).replace(' xmlns="urn:QDA-XML:project:1.0"', ''), [])
}

/** Flat, upper-case GUIDs, an empty `Sets`. */
export function taguetteCodebook(): string {
  return `${xmlHead}<CodeBook xmlns="urn:QDA-XML:codebook:1.0" origin="Taguette 1.4"><Codes><Code guid="${ids.code.toUpperCase()}" name="Trust" isCodable="true"><Description>d</Description></Code></Codes><Sets/></CodeBook>`
}

function packageOf(document: string, files: readonly RawFile[]): Buffer {
  return rawZip([{ name: 'project.qde', data: document }, ...files])
}
