import type { OwedDocument } from '../../../contracts/api/earlier-sales.ts'
import { useWords } from '../../i18n/words.tsx'

/** A closing that was printed while more could come to it. */
const SO_FAR = /X$/

/** Which paper it is, in words that tell it from another. */
export function useOwedName(): (document: OwedDocument) => string {
  const { t, format } = useWords()
  return ({ id, ...document }) => {
    switch (document.paper) {
      case 'z-report':
      case 'shift':
        return t(`earlier.owedDay.${document.paper}`, { number: document.name })
      case 'closing':
        return t(SO_FAR.test(id) ? 'earlier.owedDay.soFar' : 'earlier.owedDay.closing', {
          period: format.date(document.name),
        })
      case 'cash-movement':
        return t('earlier.owedDay.cash', { kind: t(`cash.kind.${document.name}`) })
      default:
        return `${t(`earlier.owedKind.${document.paper}`)} ${document.name}`
    }
  }
}
