import { useWords } from '../../i18n/words.tsx'
import { DateField, FormedField } from '../../ui/date-field.tsx'
import { isTime, timeTyped } from '../../ui/date-text.ts'
import styles from './settings.module.css'

const TIME_LENGTH = 5

/** A date and a time of that day by the store's clock. */
export function DateTimeFields({
  day,
  time,
  onDay,
  onTime,
  tried,
}: {
  readonly day: string
  readonly time: string
  readonly onDay: (text: string) => void
  readonly onTime: (text: string) => void
  readonly tried: boolean
}) {
  const { t } = useWords()
  return (
    <div className={styles['when']}>
      <DateField label={t('dateTime.day')} value={day} onChange={onDay} tried={tried} />
      <FormedField
        label={t('dateTime.time')}
        value={time}
        onChange={onTime}
        longest={TIME_LENGTH}
        form={timeTyped}
        wrongOf={(isLeft) =>
          !isTime(time) && (tried || isLeft || time.length === TIME_LENGTH) ? t('dateTime.timeWrong') : null
        }
      />
    </div>
  )
}
