import { OctagonX } from 'lucide-react'
import type { StopReason } from '../../../contracts/api/session.ts'
import { useWords } from '../../i18n/words.tsx'
import { FullPage } from '../../ui/surface.tsx'

/** The terminal has stopped taking money: why, and what to do, in the order to do it. */
export function Stopped({ reason }: { readonly reason: StopReason }) {
  const { t } = useWords()
  return (
    <FullPage tone="danger" icon={<OctagonX />} title={t('stopped.title')}>
      <p>{t(reason === 'storage-failed' ? 'stopped.storageFailed' : 'stopped.databaseChanged')}</p>
      <ol>
        <li>{t('stopped.step1')}</li>
        <li>{t('stopped.step2')}</li>
        <li>{t(reason === 'storage-failed' ? 'stopped.step3' : 'stopped.step3Changed')}</li>
      </ol>
      <p>
        <small>{t('stopped.code', { code: reason })}</small>
      </p>
    </FullPage>
  )
}
