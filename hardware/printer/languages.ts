import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import { StarTalk } from './star-status.ts'
import { createEscPosTalk } from './status.ts'
import type { PrinterTalk } from './talk.ts'

/** `onNews`: unasked, the printer said that it is another than before. Asking it says how. */
export function createTalk(language: PrinterLanguage, onNews: () => void): PrinterTalk {
  switch (language) {
    case 'esc-pos':
      return createEscPosTalk(onNews)
    case 'star-prnt':
    case 'star-line':
      return new StarTalk(onNews, language)
  }
}
