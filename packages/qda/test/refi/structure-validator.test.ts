import { expect, test } from 'vitest'
import { structureProblems } from './support/structure-validator.js'

const guid = '11111111-2222-3333-4444-555555555555'
const project = (inside: string, attributes = 'name="P"') =>
  `<Project xmlns="urn:QDA-XML:project:1.0" ${attributes}>${inside}</Project>`
const source = (inside: string) => project(`<Sources><TextSource guid="${guid}">${inside}</TextSource></Sources>`)

const valid = [
  project(''),
  project(
    `<Users><User guid="${guid}"/></Users><CodeBook><Codes><Code guid="{${guid}}" name="a" isCodable="true" color="#FF0000"><Code guid="${guid}" name="b" isCodable="0"/></Code></Codes></CodeBook><Description>d</Description><NoteRef targetGUID="${guid}"/>`,
  ),
  source(
    `<PlainTextSelection guid="${guid}" startPosition="0" endPosition="3"><Coding guid="${guid}"><CodeRef targetGUID="${guid}"/></Coding></PlainTextSelection><VariableValue><VariableRef targetGUID="${guid}"/><IntegerValue>3</IntegerValue></VariableValue>`,
  ),
  `<CodeBook xmlns="urn:QDA-XML:codebook:1.0"><Codes><Code guid="${guid}" name="a" isCodable="true"/></Codes><Sets><Set guid="${guid}" name="s"><MemberCode guid="${guid}"/></Set></Sets></CodeBook>`,
]

const broken: [string, string][] = [
  ['no name', project('', '')],
  ['an unknown attribute', project('', 'name="P" colour="red"')],
  ['an empty container', project('<Users/>')],
  ['the wrong order', project(`<Description>d</Description><Users><User guid="${guid}"/></Users>`)],
  ['a container twice', project(`<Users><User guid="${guid}"/></Users><Users><User guid="${guid}"/></Users>`)],
  ['an unknown element', project('<Extra/>')],
  ['a GUID of other form', project('<Users><User guid="123"/></Users>')],
  ['a GUID with half its braces', project(`<Users><User guid="{${guid}"/></Users>`)],
  ['a code without isCodable', project(`<CodeBook><Codes><Code guid="${guid}" name="a"/></Codes></CodeBook>`)],
  ['a coding without a code', source(`<Coding guid="${guid}"/>`)],
  ['a selection without an end', source(`<PlainTextSelection guid="${guid}" startPosition="0"/>`)],
  ['a position that is no number', source(`<PlainTextSelection guid="${guid}" startPosition="0" endPosition="x"/>`)],
  ['text between elements', project('text')],
  ['a moment without seconds', project('', 'name="P" creationDateTime="2024-01-01T10:00"')],
  [
    'two values',
    source(
      `<VariableValue><VariableRef targetGUID="${guid}"/><TextValue>a</TextValue><TextValue>b</TextValue></VariableValue>`,
    ),
  ],
  [
    'a value of another type',
    source(`<VariableValue><VariableRef targetGUID="${guid}"/><IntegerValue>a</IntegerValue></VariableValue>`),
  ],
  ['no namespace', '<Project name="P"/>'],
  ['a byte order mark', `\uFEFF${project('')}`],
  ['another outermost element', '<Codes xmlns="urn:QDA-XML:codebook:1.0"/>'],
  ['an empty codebook', '<CodeBook xmlns="urn:QDA-XML:codebook:1.0"><Codes/></CodeBook>'],
  ["a project's reference in a codebook", valid[3]!.replace('<MemberCode guid', '<MemberCode targetGUID')],
]

test.each(valid)('finds no problem in %s', (document) => expect(structureProblems(document)).toEqual([]))

test.each(broken)('finds %s', (_what, document) => expect(structureProblems(document)).not.toEqual([]))
