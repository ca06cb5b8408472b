import { Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { useWords } from '../../i18n/words.tsx'
import { setReturnAside, takeUpReturn, useReturn } from '../../state/returns.ts'
import { ActionButton } from '../../ui/button.tsx'
import { Notices } from '../../ui/notices.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { useWrongFocus } from '../../ui/use-tries.ts'
import { CounterButtons } from '../receipt/counter-buttons.tsx'
import { DropDialog } from './drop-dialog.tsx'
import { FindSale } from './find-sale.tsx'
import { RefundPanel } from './refund-panel.tsx'
import { ReturnDone } from './return-done.tsx'
import { ReturnLines } from './return-lines.tsx'
import { Unrecorded, UnrecordedPanel } from './unrecorded.tsx'
import styles from './returns.module.css'

/** Goods that come back: find the sale, say which goods, see what goes back and why, then do what the screen says. */
export default function ReturnScreen() {
  const { t } = useWords()
  const { sale, unrecorded, done, tries } = useReturn()
  const form = useWrongFocus<HTMLDivElement>(tries)
  const drop = useAction('return-drop')
  useEffect(() => {
    takeUpReturn()
    return setReturnAside
  }, [])
  if (done) return <ReturnDone key={done.id} done={done} />
  return (
    <div ref={form} className={styles['screen']}>
      <section className={styles['main']} aria-label={t('returns.title')}>
        <header className={styles['head']}>
          <h1>{t(unrecorded ? 'returnScreen.withoutTitle' : 'returns.title')}</h1>
          {drop.enabled && <ActionButton id="return-drop" look="quiet" icon={<Trash2 />} />}
          <CounterButtons />
        </header>
        {unrecorded ? <Unrecorded /> : sale ? <ReturnLines sale={sale} /> : <FindSale />}
      </section>
      <section className={styles['side']} aria-label={t('returnScreen.goesBack')}>
        {unrecorded ? <UnrecordedPanel /> : <RefundPanel />}
        <div className={styles['messages']}>
          <Notices />
        </div>
      </section>
      <DropDialog />
    </div>
  )
}
