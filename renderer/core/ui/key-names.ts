import type { MessageKey } from '../i18n/message-key.ts'

const NAMED = ['Enter', 'Escape', 'Delete', 'ArrowUp', 'ArrowDown', 'Shift'] as const
type Named = (typeof NAMED)[number]

/** Translates key names as printed on the language's keyboard: `Shift+F2` becomes `Maj F2`. */
export function keyName(name: string, translate: (key: MessageKey) => string): string {
  const keys = name.split('+').filter((part) => part !== '')
  return (keys.length === 0 ? [name] : keys)
    .map((part) => ((NAMED as readonly string[]).includes(part) ? translate(`keys.${part as Named}`) : part))
    .join(' ')
}
