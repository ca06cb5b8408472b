import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import { useI18n } from '../i18n/i18n.ts'
import { dismiss, stays, useNotices, type Notice, type Tone } from '../state/notices.ts'
import { Button, IconButton } from './button.tsx'
import styles from './notices.module.css'

const ICONS = {
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
} as const satisfies Record<Tone, unknown>

/**
 * Shows notices with what to do, in their own space so that they never cover a control. A problem stays until it is
 * dismissed or resolved; other notices disappear by themselves.
 */
export function Notices() {
  const notices = useNotices((state) => state.notices)
  return (
    <div className={styles['stack']}>
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

function NoticeCard({ notice }: { readonly notice: Notice }) {
  const i18n = useI18n()
  const { t } = i18n
  const Icon = ICONS[notice.tone]
  return (
    <div className={`${styles['notice']} ${styles[notice.tone]}`} role={stays(notice.tone) ? 'alert' : 'status'}>
      <Icon aria-hidden="true" />
      <div className={styles['text']}>
        <p>{notice.text(i18n)}</p>
        {notice.offer && <Button onPress={notice.offer.perform}>{notice.offer.text(i18n)}</Button>}
        {notice.reference && <p className={styles['reference']}>{t('app.reference', { id: notice.reference })}</p>}
      </div>
      <IconButton label={t('app.dismiss')} icon={<X />} onPress={() => dismiss(notice.id)} />
    </div>
  )
}

/**
 * Live regions for screen readers: the line and total of a scan, or the outcome of a redemption. An open dialog hides
 * the page from screen readers; the attribute keeps these regions readable.
 */
export function LiveRegions() {
  const i18n = useI18n()
  const polite = useNotices((state) => state.polite)
  const assertive = useNotices((state) => state.assertive)
  return (
    <>
      <div className="sr-only" data-live-announcer="true" role="log" aria-live="polite" aria-atomic="true">
        {polite && <span key={polite.id}>{polite.text(i18n)}</span>}
      </div>
      <div className="sr-only" data-live-announcer="true" aria-live="assertive" aria-atomic="true">
        {assertive && <span key={assertive.id}>{assertive.text(i18n)}</span>}
      </div>
    </>
  )
}
