import type { MessageKey } from '../i18n/message-key.ts'

const NAMED = ['Enter', 'Escape', 'Delete', 'ArrowUp', 'ArrowDown', 'Shift'] as const
type Named = (typeof NAMED)[number]

/** A key of an action as it is printed on the keyboard of the language: `Shift+F2` becomes `Maj F2`. */
export function keyWords(name: string, say: (key: MessageKey) => string): string {
  const parts = name.split('+').filter((part) => part !== '')
  return (parts.length === 0 ? [name] : parts)
    .map((part) => ((NAMED as readonly string[]).includes(part) ? say(`keys.${part as Named}`) : part))
    .join(' ')
}
