import { SaxesParser, type SaxesTagNS } from 'saxes'

/**
 * What is wrong with a document of REFI-QDA, in sentences; none is right. Knows the order, number and attributes of elements from a
 * grammar of its own, and nothing of the code that writes.
 */
export function structureProblems(document: string): string[] {
  const root = parsed(document)
  const namespace = root.name === 'Project' ? 'urn:QDA-XML:project:1.0' : 'urn:QDA-XML:codebook:1.0'
  const problems = root.namespace === namespace ? [] : [`${root.name} has the namespace "${root.namespace}"`]
  if (document.startsWith('\uFEFF')) problems.push('the document has a byte order mark')
  const grammar = root.name === 'Project' ? projectGrammar : codebookGrammar
  if (root.name !== 'Project' && root.name !== 'CodeBook') return [`${root.name} can't be outermost`]
  check(root, root.name, grammar, problems)
  return problems
}

interface Tree {
  readonly name: string
  readonly namespace: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: Tree[]
  text: string
}

function parsed(document: string): Tree {
  const open: Tree[] = []
  let root: Tree | undefined
  const parser = new SaxesParser({ xmlns: true })
  parser.on('opentag', (tag: SaxesTagNS) => {
    const plain = Object.values(tag.attributes).filter(({ uri }) => uri === '')
    const attributes = new Map(plain.map(({ local, value }) => [local, value]))
    const tree: Tree = { name: tag.local, namespace: tag.uri, attributes, children: [], text: '' }
    if (open.length === 0) root = tree
    else open.at(-1)!.children.push(tree)
    open.push(tree)
  })
  parser.on('text', (text) => {
    if (open.length > 0) open.at(-1)!.text += text
  })
  parser.on('closetag', () => open.pop())
  parser.write(document).close()
  return root!
}

/** Elements in their order: `?` at most one, `*` any number, `+` at least one, nothing one. `(A|B)+`: a mix. */
interface Rule {
  readonly elements: string
  /** `!` needed. */
  readonly attributes: string
  readonly text?: boolean
}
type Grammar = Readonly<Record<string, Rule>>

const text: Rule = { elements: '', attributes: '', text: true }
const reference: Rule = { elements: '', attributes: 'targetGUID!:guid' }
const author = 'creatingUser:guid creationDateTime:moment modifyingUser:guid modifiedDateTime:moment'
const place = 'firstX!:integer firstY!:integer secondX!:integer secondY!:integer'
const holder: Rule = {
  elements: 'Description? PlainTextContent? PlainTextSelection* Coding* NoteRef* VariableValue*',
  attributes: `guid!:guid name richTextPath plainTextPath ${author}`,
}
const media = `guid!:guid name path currentPath ${author}`
const code = 'guid!:guid name! isCodable!:boolean color:color'
const plainSelection = 'Description? Coding* NoteRef*'

const projectGrammar: Grammar = {
  Project: {
    elements: 'Users? CodeBook? Variables? Cases? Sources? Notes? Links? Sets? Graphs? Description? NoteRef*',
    attributes:
      'name! origin creatingUserGUID:guid creationDateTime:moment modifyingUserGUID:guid modifiedDateTime:moment basePath',
  },
  Users: { elements: 'User+', attributes: '' },
  User: { elements: '', attributes: 'guid!:guid name id' },
  CodeBook: { elements: 'Codes', attributes: '' },
  Codes: { elements: 'Code+', attributes: '' },
  Code: { elements: 'Description? NoteRef* Code*', attributes: code },
  Variables: { elements: 'Variable+', attributes: '' },
  Variable: { elements: 'Description?', attributes: 'guid!:guid name! typeOfVariable!:variable' },
  VariableValue: {
    elements: 'VariableRef (TextValue|BooleanValue|IntegerValue|FloatValue|DateValue|DateTimeValue)?',
    attributes: '',
  },
  Cases: { elements: 'Case+', attributes: '' },
  Case: { elements: 'Description? CodeRef* VariableValue* SourceRef* SelectionRef*', attributes: 'guid!:guid name' },
  Sources: { elements: '(TextSource|PictureSource|PDFSource|AudioSource|VideoSource)+', attributes: '' },
  TextSource: holder,
  Note: holder,
  Representation: holder,
  TextDescription: holder,
  PlainTextContent: text,
  PlainTextSelection: {
    elements: plainSelection,
    attributes: `guid!:guid name startPosition!:integer endPosition!:integer ${author}`,
  },
  PictureSource: {
    elements: 'Description? TextDescription? PictureSelection* Coding* NoteRef* VariableValue*',
    attributes: media,
  },
  PictureSelection: { elements: plainSelection, attributes: `guid!:guid name ${place} ${author}` },
  PDFSource: {
    elements: 'Description? PDFSelection* Representation? Coding* NoteRef* VariableValue*',
    attributes: media,
  },
  PDFSelection: {
    elements: 'Description? Representation? Coding* NoteRef*',
    attributes: `guid!:guid name page!:integer ${place} ${author}`,
  },
  AudioSource: {
    elements: 'Description? Transcript* AudioSelection* Coding* NoteRef* VariableValue*',
    attributes: media,
  },
  VideoSource: {
    elements: 'Description? Transcript* VideoSelection* Coding* NoteRef* VariableValue*',
    attributes: media,
  },
  AudioSelection: { elements: plainSelection, attributes: `guid!:guid name begin!:integer end!:integer ${author}` },
  VideoSelection: { elements: plainSelection, attributes: `guid!:guid name begin!:integer end!:integer ${author}` },
  Transcript: {
    elements: 'Description? PlainTextContent? SyncPoint* TranscriptSelection* NoteRef*',
    attributes: `guid!:guid name richTextPath plainTextPath ${author}`,
  },
  SyncPoint: { elements: '', attributes: 'guid!:guid timeStamp:integer position:integer' },
  TranscriptSelection: {
    elements: plainSelection,
    attributes: `guid!:guid name fromSyncPoint:guid toSyncPoint:guid ${author}`,
  },
  Coding: { elements: 'CodeRef NoteRef*', attributes: 'guid!:guid creatingUser:guid creationDateTime:moment' },
  Notes: { elements: 'Note+', attributes: '' },
  Links: { elements: 'Link+', attributes: '' },
  Link: {
    elements: 'NoteRef*',
    attributes: 'guid!:guid name direction:direction color:color originGUID:guid targetGUID:guid',
  },
  Sets: { elements: 'Set+', attributes: '' },
  Set: { elements: 'Description? MemberCode* MemberSource* MemberNote*', attributes: 'guid!:guid name!' },
  Description: text,
  TextValue: text,
  BooleanValue: text,
  IntegerValue: text,
  FloatValue: text,
  DateValue: text,
  DateTimeValue: text,
  NoteRef: reference,
  CodeRef: reference,
  SourceRef: reference,
  SelectionRef: reference,
  VariableRef: reference,
  MemberCode: reference,
  MemberSource: reference,
  MemberNote: reference,
}

const codebookGrammar: Grammar = {
  CodeBook: { elements: 'Codes Sets?', attributes: 'origin' },
  Codes: { elements: 'Code+', attributes: '' },
  Code: { elements: 'Description? Code*', attributes: code },
  Sets: { elements: 'Set+', attributes: '' },
  Set: { elements: 'Description? MemberCode*', attributes: 'guid!:guid name!' },
  MemberCode: { elements: '', attributes: 'guid!:guid' },
  Description: text,
}

const guidPattern = /^(\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
const valuePatterns: Readonly<Record<string, RegExp>> = {
  guid: guidPattern,
  integer: /^[+-]?\d+$/,
  boolean: /^(true|false|0|1)$/,
  color: /^#([0-9a-f]{6}|[0-9a-f]{3})$/i,
  moment: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/,
  variable: /^(Text|Boolean|Integer|Float|Date|DateTime)$/,
  direction: /^(Associative|OneWay|Bidirectional)$/,
}
const textPatterns: Readonly<Record<string, RegExp>> = {
  BooleanValue: /^(true|false|0|1)$/,
  IntegerValue: /^[+-]?\d+$/,
  FloatValue: /^[+-]?(\d+(\.\d*)?|\.\d+)$/,
  DateValue: /^\d{4}-\d\d-\d\d$/,
  DateTimeValue: valuePatterns['moment']!,
}

function check(tree: Tree, path: string, grammar: Grammar, problems: string[]): void {
  const rule = grammar[tree.name]
  if (rule === undefined) {
    problems.push(`${path} is unknown`)
    return
  }
  checkAttributes(tree, path, rule, problems)
  checkChildren(tree, path, rule, problems)
  if (rule.text !== true && tree.text.trim() !== '') problems.push(`${path} has text`)
  if (textPatterns[tree.name]?.test(tree.text) === false) problems.push(`${path} has the text "${tree.text}"`)
  if (tree.attributes.has('plainTextPath') && tree.children.some(({ name }) => name === 'PlainTextContent'))
    problems.push(`${path} has its text twice`)
  for (const child of tree.children) check(child, `${path}/${child.name}`, grammar, problems)
}

function checkAttributes(tree: Tree, path: string, rule: Rule, problems: string[]): void {
  const allowed = new Map<string, string>()
  for (const word of rule.attributes.split(' ').filter((part) => part !== '')) {
    const [name, type = ''] = word.split(':') as [string, string?]
    const bare = name.replace('!', '')
    allowed.set(bare, type)
    if (name.endsWith('!') && !tree.attributes.has(bare)) problems.push(`${path} has no ${bare}`)
  }
  for (const [name, value] of tree.attributes) {
    const type = allowed.get(name)
    if (type === undefined) problems.push(`${path} has an attribute ${name}`)
    else if (valuePatterns[type]?.test(value) === false) problems.push(`${path} has ${name}="${value}"`)
  }
}

/** The names of the children, each with a blank, as one text for one pattern. */
function checkChildren(tree: Tree, path: string, rule: Rule, problems: string[]): void {
  const names = tree.children.map(({ name }) => `${name} `).join('')
  const pattern = rule.elements.replace(/(\([^)]*\)|\w+)([?*+]?) ?/g, '(?:(?:$1) )$2')
  if (!new RegExp(`^${pattern}$`).test(names))
    problems.push(`${path} has the children "${names.trim()}", not ${rule.elements || 'none'}`)
}
