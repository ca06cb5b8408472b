import { CircleUserRound } from 'lucide-react'
import { Button as AriaButton } from 'react-aria-components'
import { useWords } from '../../i18n/words.tsx'
import type { StaffMember } from '../../state/terminal.ts'
import styles from './sign-in.module.css'

/** One tile a person; the chosen one is marked. */
export function PeopleTiles({
  people,
  chosen,
  onChoose,
  autoFocus = false,
}: {
  readonly people: readonly StaffMember[]
  readonly chosen: StaffMember | null
  readonly onChoose: (person: StaffMember) => void
  /** The first name takes the focus. */
  readonly autoFocus?: boolean
}) {
  const { t } = useWords()
  return (
    <div className={styles['tiles']} role="group" aria-label={t('signIn.staffLabel')}>
      {people.map((person, index) => (
        <AriaButton
          key={person.id}
          className={styles['tile'] ?? ''}
          autoFocus={autoFocus && index === 0}
          aria-pressed={chosen?.id === person.id}
          onPress={() => onChoose(person)}
        >
          <CircleUserRound aria-hidden="true" />
          <span>
            <strong>{person.name}</strong>
            <span>{t(person.role === 'manager' ? 'signIn.manager' : 'signIn.cashier')}</span>
          </span>
        </AriaButton>
      ))}
    </div>
  )
}
