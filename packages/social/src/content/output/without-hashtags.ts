/** A run of hashtags at the end goes; a word within a sentence loses its mark alone. Numbers (#1) and C# are none. */
export function withoutHashtags(text: string): string {
  return text
    .replace(/(?:\s+#(?=[\p{L}\p{N}_]*\p{L})[\p{L}\p{N}_]+){2,}\s*$/u, '')
    .replace(/\n\s*#(?=[\p{L}\p{N}_]*\p{L})[\p{L}\p{N}_]+\s*$/u, '')
    .replaceAll(/(?<![\p{L}\p{N}_&/])#(?=[\p{L}\p{N}_]*\p{L})/gu, '')
    .trim()
}
