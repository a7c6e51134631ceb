/** Whether a JSON text has more than so many lists and objects in one another: a parser takes that, hardly anything else does. */
export function isDeeperThan(json: string, depthMax: number): boolean {
  let depth = 0
  let isInText = false
  for (let index = 0; index < json.length && depth <= depthMax; index += 1) {
    const mark = json[index]
    if (mark === '"') isInText = !isInText
    else if (isInText) index += mark === '\\' ? 1 : 0
    else if (mark === '[' || mark === '{') depth += 1
    else if (mark === ']' || mark === '}') depth -= 1
  }
  return depth > depthMax
}
