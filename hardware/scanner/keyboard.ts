import type { EmbeddedLayout } from '../../contracts/profile.ts'
import type { Scan } from '../device.ts'
import { programCards, type ReadPatterns } from '../msr/program-card.ts'
import { scanClassifier } from './classify.ts'

export interface KeyboardConfig {
  readonly patterns: ReadPatterns
  readonly embedded?: readonly EmbeddedLayout[] | undefined
}

/**
 * For a scanner that types as a keyboard does: says what such a line of text is. Anybody can type, so that a
 * collector's number from here is a keyed one, whatever it looks like: that is for the caller to keep.
 */
export function keyboardScans({ patterns, embedded }: KeyboardConfig): (text: string) => Scan {
  const classify = scanClassifier(programCards(patterns), embedded)
  return (text) => {
    const bytes = Buffer.alloc(text.length, text, 'latin1')
    try {
      return classify(bytes)
    } finally {
      bytes.fill(0)
    }
  }
}
