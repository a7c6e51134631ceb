import type { LossList } from './loss-list.js'
import type { RefiCase, RefiLink, RefiProject, RefiSet, RefiUser, RefiVariable } from './model.js'
import { writeCode, writeContainer, writeReferences, writeValues } from './write-shared.js'
import { writeSource, writeText } from './write-sources.js'
import { XmlWriter } from './write-xml.js'

/** The document of a project, piece by piece. Losses are complete when the last piece is out. */
export function* qdeText(project: RefiProject, losses: LossList): Generator<string> {
  const xml = new XmlWriter(losses)
  const writing = { xml, losses }
  openProject(xml, project)
  yield* writeContainer(xml, 'Users', project.users, (user) => writeUser(xml, user))
  yield* writeCodebookOf(xml, project)
  yield* writeContainer(xml, 'Variables', project.variables, (variable) => writeVariable(xml, variable))
  yield* writeContainer(xml, 'Cases', project.cases, (one) => writeCase(xml, one))
  yield* writeContainer(xml, 'Sources', project.sources, (source) => writeSource(writing, source))
  yield* writeContainer(xml, 'Notes', project.notes, (note) => writeText(writing, 'Note', note))
  yield* writeContainer(xml, 'Links', project.links, (link) => writeLink(xml, link))
  yield* writeContainer(xml, 'Sets', project.sets, (set) => writeSet(xml, set))
  if (project.graphCount > 0) losses.add('Graphs', null, `${project.graphCount} graphs: graphs are not written`)
  xml.textElement('Description', project.description)
  writeReferences(xml, 'NoteRef', project.noteRefs)
  xml.close()
  yield* xml.drain(0)
}

function openProject(xml: XmlWriter, project: RefiProject): void {
  xml.open('Project', [
    ['xmlns', 'urn:QDA-XML:project:1.0'],
    ['name', project.name],
    ['origin', project.origin],
    ['creatingUserGUID', project.creatingUser],
    ['creationDateTime', project.createdAt],
    ['modifyingUserGUID', project.modifyingUser],
    ['modifiedDateTime', project.modifiedAt],
    ['basePath', project.basePath],
  ])
}

function writeUser(xml: XmlWriter, { guid, name, id }: RefiUser): undefined {
  xml.empty('User', [
    ['guid', guid],
    ['name', name],
    ['id', id],
  ])
}

function* writeCodebookOf(xml: XmlWriter, { codes }: RefiProject): Generator<string> {
  if (codes.length === 0) return
  xml.open('CodeBook')
  yield* writeContainer(xml, 'Codes', codes, (code) => writeCode(xml, code, true))
  xml.close()
}

function writeVariable(xml: XmlWriter, { guid, name, type, description }: RefiVariable): undefined {
  xml.open('Variable', [
    ['guid', guid],
    ['name', name],
    ['typeOfVariable', type],
  ])
  xml.textElement('Description', description)
  xml.close()
}

function writeCase(xml: XmlWriter, one: RefiCase): undefined {
  xml.open('Case', [
    ['guid', one.guid],
    ['name', one.name],
  ])
  xml.textElement('Description', one.description)
  writeReferences(xml, 'CodeRef', one.codes)
  writeValues(xml, one.values)
  writeReferences(xml, 'SourceRef', one.sources)
  writeReferences(xml, 'SelectionRef', one.selections)
  xml.close()
}

function writeLink(xml: XmlWriter, link: RefiLink): undefined {
  xml.open('Link', [
    ['guid', link.guid],
    ['name', link.name],
    ['direction', link.direction],
    ['color', link.color],
    ['originGUID', link.origin],
    ['targetGUID', link.target],
  ])
  writeReferences(xml, 'NoteRef', link.noteRefs)
  xml.close()
}

function writeSet(xml: XmlWriter, set: RefiSet): undefined {
  xml.open('Set', [
    ['guid', set.guid],
    ['name', set.name],
  ])
  xml.textElement('Description', set.description)
  writeReferences(xml, 'MemberCode', set.codes)
  writeReferences(xml, 'MemberSource', set.sources)
  writeReferences(xml, 'MemberNote', set.notes)
  xml.close()
}
