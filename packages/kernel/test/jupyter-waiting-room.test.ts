import { describe, expect, it } from 'vitest'
import {
  jupyterMessageBytesMax,
  jupyterSmallInARow,
  jupyterWaitingBytesMax,
  jupyterWaitingMessagesMax,
} from '../src/limits.js'
import { WaitingRoom } from '../src/runtime/jupyter/waiting-room.js'

describe('how many messages of a kernel may wait', () => {
  it('is many as long as they are small', () => {
    const room = new WaitingRoom()
    expect(room.received(1_000)).toBe(false)
    expect(room.places).toBe(jupyterWaitingMessagesMax)
  })

  it('is few at once when a large one comes, so that bytes are bounded', () => {
    const room = new WaitingRoom()
    expect(room.received(1024 * 1024)).toBe(true)
    expect(room.places).toBe(jupyterWaitingBytesMax / 1024 / 1024)
    expect(room.received(jupyterMessageBytesMax)).toBe(true)
    expect(room.places).toBe(2)
  })

  it('is many again only after a row of small ones', () => {
    const room = new WaitingRoom()
    room.received(jupyterMessageBytesMax)
    for (let count = 1; count < jupyterSmallInARow; count += 1) expect(room.received(10)).toBe(false)
    room.received(jupyterMessageBytesMax)
    for (let count = 1; count < jupyterSmallInARow; count += 1) expect(room.received(10)).toBe(false)
    expect(room.received(10)).toBe(true)
    expect(room.places).toBe(jupyterWaitingMessagesMax)
  })
})
