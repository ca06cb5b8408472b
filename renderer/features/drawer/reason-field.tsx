import { FieldError, Input, Label, TextField } from 'react-aria-components'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { PaperWarning } from '../../ui/paper-warning.tsx'
import styles from './drawer.module.css'
import type { QuickReason } from './movements.ts'

const LONGEST_REASON = 120

export const reasonFits = (reason: string): boolean => reason.trim() !== ''

/** Enter on the amount goes on to the reason, past all the keys of the pad. */
export const goToReason = (form: HTMLFormElement | null): void => form?.querySelector('input')?.focus()

/** Why: one of the usual reasons by a press, or in words of one's own. It goes on the slip. */
export function ReasonField({
  label,
  quick,
  reason,
  onChange,
  tried,
}: {
  readonly label: string
  readonly quick: readonly QuickReason[]
  readonly reason: string
  readonly onChange: (reason: string) => void
  readonly tried: boolean
}) {
  const { t } = useWords()
  return (
    <div className={styles['why']}>
      <TextField
        value={reason}
        onChange={onChange}
        isInvalid={tried && !reasonFits(reason)}
        className={styles['field'] ?? ''}
      >
        <Label>{label}</Label>
        <Input maxLength={LONGEST_REASON} autoComplete="off" />
        <PaperWarning text={reason} />
        <FieldError>{t('shifts.reasonMissing')}</FieldError>
      </TextField>
      <div className={styles['chips']} role="group" aria-label={t('shifts.quickReasons')}>
        {quick.map((one) => {
          const words = t(`shifts.quick.${one}`)
          return (
            <Button
              key={one}
              aria-pressed={reason === words}
              look={reason === words ? 'primary' : 'plain'}
              preventFocusOnPress
              onPress={() => onChange(words)}
            >
              {words}
            </Button>
          )
        })}
      </div>
    </div>
  )
}
