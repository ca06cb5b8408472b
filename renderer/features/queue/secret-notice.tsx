import { KeyRound } from 'lucide-react'
import type { SecretRefused } from '../../../contracts/api/queue.ts'
import { useWords } from '../../i18n/words.tsx'
import styles from './queue.module.css'

/** Nothing goes out while the lane's secret is refused: it stands above every call, and leaves by itself. */
export function SecretNotice({ refused }: { readonly refused: SecretRefused }) {
  const { t, format } = useWords()
  return (
    <div className={styles['notices']}>
      <div className={styles['says']} role="alert">
        <p className={styles['lead']}>
          <KeyRound aria-hidden="true" /> <strong>{format.text(refused.says)}</strong>
        </p>
        <p>{format.text(refused.todo)}</p>
        <p className="figures">{t('queue.secretSince', { time: format.dateTime(refused.since) })}</p>
      </div>
    </div>
  )
}
