import { useQueryClient } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { TrainingPhone } from '../../../contracts/api/training.ts'
import { showAnswer } from '../../api/answers.ts'
import { trainingApi } from '../../api/training-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useMemberSession } from '../../state/member-session.ts'
import { report } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import styles from './training-devices.module.css'

const ACTS = ['sign-in', 'someone-else', 'decline'] as const satisfies readonly TrainingPhone[]

/** The shell opens no other page: there the address is shown, for a browser on the same machine. */
const opensPages = (): boolean => location.protocol.startsWith('http')

/** The phone of the customer who is asked to sign in. Nothing while no code waits for it. */
export function CustomerPhone() {
  const { t } = useWords()
  const queries = useQueryClient()
  const session = useMemberSession((now) => now.session)
  const [doing, setDoing] = useState<TrainingPhone | null>(null)
  /** The code that was taken up: the lane hears of it by its next poll. */
  const [used, setUsed] = useState<string | null>(null)
  if (session?.state !== 'waiting') return null
  const { userCode, pageWithCode } = session
  const take = async (does: TrainingPhone): Promise<void> => {
    setDoing(does)
    try {
      await showAnswer(queries, ['training'], await trainingApi.trainingPhone(does))
      setUsed(userCode)
    } catch (error) {
      report(error)
    }
    setDoing(null)
  }
  return (
    <section aria-label={t('trainingPanel.phone')}>
      <h3>{t('trainingPanel.phone')}</h3>
      {opensPages() ? (
        <a className={styles['page']} href={pageWithCode} target="_blank" rel="noreferrer">
          {t('trainingPanel.phonePage')}
        </a>
      ) : (
        <p>
          {t('trainingPanel.phonePage')} <span className={styles['address']}>{pageWithCode}</span>
        </p>
      )}
      <ul>
        {ACTS.map((does) => (
          <li key={does}>
            <Button
              wide
              icon={<Smartphone />}
              isPending={doing === does}
              isDisabled={used === userCode || (doing !== null && doing !== does)}
              onPress={() => void take(does)}
            >
              {t(`trainingPanel.phoneDoes.${does}`)}
            </Button>
          </li>
        ))}
      </ul>
      {used === userCode && <p role="status">{t('trainingPanel.phoneDone')}</p>}
    </section>
  )
}
