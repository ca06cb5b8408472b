import type { Elsewhere } from '../../../contracts/api/store.ts'
import { useWords } from '../../i18n/words.tsx'

/** Which other lane changed something last, and whether that took the place of a change that was made here. */
export function ChangedElsewhere({ elsewhere }: { readonly elsewhere: Elsewhere | undefined }) {
  const { t } = useWords()
  if (elsewhere === undefined) return null
  const { lane, by, inPlaceOf } = elsewhere
  return (
    <>
      <small>{by === null ? t('settings.atLaneByProfile', { lane }) : t('settings.atLane', { lane, name: by })}</small>
      {inPlaceOf !== null && <small>{t('settings.inPlaceOf', { name: inPlaceOf })}</small>}
    </>
  )
}
