import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import { useWords } from '../i18n/words.tsx'
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
 * Messages with what to do. They take their own room on each screen and so never lie over anything that is pressed. A
 * problem stays until it is read or mended; news leaves by itself.
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
  const words = useWords()
  const { t } = words
  const Icon = ICONS[notice.tone]
  return (
    <div className={`${styles['notice']} ${styles[notice.tone]}`} role={stays(notice.tone) ? 'alert' : 'status'}>
      <Icon aria-hidden="true" />
      <div className={styles['words']}>
        <p>{notice.say(words)}</p>
        {notice.offer && <Button onPress={notice.offer.perform}>{notice.offer.say(words)}</Button>}
        {notice.reference && <p className={styles['reference']}>{t('app.reference', { id: notice.reference })}</p>}
      </div>
      <IconButton label={t('app.dismiss')} icon={<X />} onPress={() => dismiss(notice.id)} />
    </div>
  )
}

/**
 * Words for the ear alone: the line and total of a scan, the outcome of a redemption. A dialog hides what is behind it
 * from the ear; its mark keeps this heard.
 */
export function LiveRegions() {
  const words = useWords()
  const polite = useNotices((state) => state.polite)
  const assertive = useNotices((state) => state.assertive)
  return (
    <>
      <div className="spoken" data-live-announcer="true" role="log" aria-live="polite" aria-atomic="true">
        {polite && <span key={polite.id}>{polite.say(words)}</span>}
      </div>
      <div className="spoken" data-live-announcer="true" aria-live="assertive" aria-atomic="true">
        {assertive && <span key={assertive.id}>{assertive.say(words)}</span>}
      </div>
    </>
  )
}
