import { decodeCurveKey } from '@callboard/protocol'

/** Whether a text is a key as it is written: 32 bytes in Z85. */
export const isKey = (text: string): boolean => decodeCurveKey(text) !== undefined
