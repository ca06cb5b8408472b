import { GROUP_SEPARATOR, type KeyPosition } from './group-separator.ts'

/** The two characters of each key on a US keyboard: alone, and with Shift. */
const MARKS: Readonly<Record<string, string>> = {
  Backquote: '`~',
  Minus: '-_',
  Equal: '=+',
  BracketLeft: '[{',
  BracketRight: ']}',
  Backslash: '\\|',
  Semicolon: ';:',
  Quote: '\'"',
  Comma: ',<',
  Period: '.>',
  Slash: '/?',
  Space: '  ',
  [GROUP_SEPARATOR.code]: GROUP_SEPARATOR.key.repeat(2),
}
const SHIFTED_DIGITS = ')!@#$%^&*('

function charactersOf(code: string): string | undefined {
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  if (letter !== undefined) return letter.toLowerCase() + letter
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1]
  return digit === undefined ? MARKS[code] : digit + (SHIFTED_DIGITS[Number(digit)] ?? '')
}

/**
 * Decodes a scanner set up for a US keyboard under any keyboard layout of the system, because a scanner sends key
 * positions. Null: a key has no position on a US keyboard.
 */
export function textOnUsLayout(keys: readonly KeyPosition[]): string | null {
  let text = ''
  for (const { code, shiftKey } of keys) {
    const character = charactersOf(code)?.[shiftKey ? 1 : 0]
    if (character === undefined) return null
    text += character
  }
  return text
}
