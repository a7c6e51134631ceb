/** Whether there is nothing to see: every network refuses it. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text)
}
