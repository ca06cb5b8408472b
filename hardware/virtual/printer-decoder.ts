import type { PrinterLanguage } from '../../contracts/profile.ts'
import { createEscPosDecoder } from './esc-pos-decoder.ts'
import type { PrinterDecoder } from './paper-mark.ts'
import { createStarDecoder } from './star-decoder.ts'

/** What reads the paper of a printer of this language. */
export function decoderOf(language: PrinterLanguage): PrinterDecoder {
  switch (language) {
    case 'esc-pos':
      return createEscPosDecoder()
    case 'star-prnt':
    case 'star-line':
      return createStarDecoder()
  }
}
