import { bareSubjects } from './bare.js'
import { callboardSubjects } from './callboard.js'
import { rivalSubjects } from './rivals.js'
import type { Subject } from './subject.js'

export const allSubjects: readonly Subject[] = [...bareSubjects, ...rivalSubjects, ...callboardSubjects]
