import { FieldError, Label, Radio, RadioGroup } from 'react-aria-components'
import type { ReturnReason } from '../../../contracts/api/returns.ts'
import { useWords } from '../../i18n/words.tsx'
import { useReturn } from '../../state/returns.ts'
import styles from './returns.module.css'

const REASONS = [
  'not-wanted',
  'damaged',
  'wrong-item',
  'expired',
  'recalled',
  'other',
] as const satisfies readonly ReturnReason[]

/** Why the goods come back: below them, so that the other side of the screen has room for what goes back and why. */
export function Reason() {
  const { t } = useWords()
  const { reason, missing } = useReturn()
  return (
    <RadioGroup
      value={reason}
      onChange={(value) => useReturn.setState({ reason: REASONS.find((one) => one === value) ?? null, missing: null })}
      isInvalid={missing === 'reason'}
      className={styles['reasons'] ?? ''}
    >
      <Label>{t('returnScreen.reasonLabel')}</Label>
      <div>
        {REASONS.map((one) => (
          <Radio key={one} value={one} className={styles['reason'] ?? ''}>
            {t(`returnScreen.reason.${one}`)}
          </Radio>
        ))}
      </div>
      <FieldError>{t('returnScreen.reasonMissing')}</FieldError>
    </RadioGroup>
  )
}
