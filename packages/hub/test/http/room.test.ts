import { describe, expect, it } from 'vitest'
import { TooBusyError } from '../../src/http/answers.js'
import { placeToTake } from '../../src/http/room.js'

const room = { placesMax: 4, principalPlacesMax: 3 }
const place = (principal: string, idleSince: number, open = 0) => ({ identity: { principal }, idleSince, open })

describe('placeToTake', () => {
  it('takes none while there is room', () => {
    expect(placeToTake([place('a', 1), place('b', 2)], 'a', room)).toBeUndefined()
  })

  it("takes the newcomer's own that was silent longest, before older ones of others", () => {
    const own = place('a', 5)
    expect(placeToTake([place('b', 1), place('b', 2), own, place('a', 7)], 'a', room)).toBe(own)
  })

  it('takes from those who hold more than the newcomer', () => {
    const older = place('b', 2)
    expect(placeToTake([place('c', 1), place('b', 3), older, place('a', 0, 1)], 'a', room)).toBe(older)
  })

  it('takes nothing of those who hold as little', () => {
    const places = [place('a', 1, 1), place('a', 2, 1), place('b', 1), place('b', 2)]
    expect(() => placeToTake(places, 'a', room)).toThrow(TooBusyError)
  })

  it('takes nothing of others from who has its share', () => {
    expect(() => placeToTake([place('a', 1, 1), place('a', 1, 1), place('a', 1, 1)], 'a', room)).toThrow(TooBusyError)
  })
})
