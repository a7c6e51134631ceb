/** C0 (line ends among them), DEL, C1, and what turns the direction of the text around it. */
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Names and messages come from workers that nobody vouches for, and a terminal obeys what is in them. Each control
 * character becomes `\uXXXX`, which leaves JSON with the same meaning. `kept`: those that may stay.
 */
export function escapeControls(text: string, kept = ''): string {
  return text.replace(controls, (control) => (kept.includes(control) ? control : codeOf(control)))
}

const codeOf = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
