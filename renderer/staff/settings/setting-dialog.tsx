import { useMutation } from '@tanstack/react-query'
import { RotateCcw, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { Setting, SettingList } from '../../../contracts/staff/settings.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { Button } from '../../core/ui/button.tsx'
import { isDay, isTime, timeTyped } from '../../core/ui/date-text.ts'
import { Dialog } from '../../core/ui/dialog.tsx'
import { Choice } from '../../sales/changes/changes-menu.tsx'
import { type FieldProblems, SettingFields } from './setting-fields.tsx'
import { type Value, useSettingTexts } from './setting-table.tsx'
import styles from './settings.module.css'
import { DateField, FormedField } from '../../core/ui/date-field.tsx'

interface SettingDialogProps {
  readonly setting: Setting
  readonly onClose: () => void
  readonly onChanged: (list: SettingList) => void
}

type When = 'now' | 'later'
const WHEN = ['now', 'later'] as const satisfies readonly When[]

export function SettingDialog(props: SettingDialogProps) {
  const { t } = useI18n()
  const { nameOf } = useSettingTexts()
  return (
    <Dialog open onClose={props.onClose} title={t('settings.changeOf', { name: nameOf(props.setting.name) })} size="l">
      <SettingForm {...props} />
    </Dialog>
  )
}

/** Returns the backend's validation errors by their path in the value; errors of the time have the path `from`. */
const problemsOf = (error: unknown): FieldProblems =>
  error instanceof ApiProblem
    ? Object.fromEntries(error.details.map(({ path, message }) => [path.replace(/^\//, ''), message]))
    : {}

function SettingForm({ setting, onClose, onChanged }: SettingDialogProps) {
  const { t } = useI18n()
  const { nameOf, valueOf } = useSettingTexts()
  const { name, newest } = setting
  const [value, setValue] = useState<Value>(setting.value)
  const [when, setWhen] = useState<When>('now')
  const [day, setDay] = useState('')
  const [time, setTime] = useState('00:00')
  const [tried, setTried] = useState(false)
  const timeFits = when === 'now' || (isDay(day) && isTime(time))
  const from = when === 'now' ? null : { day, time }
  const set = useMutation({
    mutationFn: (to: Parameters<typeof storeApi.changeSetting>[1]['to']) =>
      storeApi.changeSetting(name, { seen: newest, to, from }),
    onSuccess: (list, to) => {
      onChanged(list)
      clearProblems()
      const saved = name
      if (from !== null)
        notify('success', (i18n) => i18n.t('settings.planned', { name: nameOf(saved), time: `${day} ${time}` }))
      else
        notify('success', (i18n) =>
          i18n.t(to.kind === 'profile' ? 'settings.resetDone' : 'settings.saved', { name: nameOf(saved) }),
        )
      onClose()
    },
    onError: (error) => {
      const code = error instanceof ApiProblem ? error.code : null
      if (code !== 'setting-invalid' && code !== 'setting-past') report(error)
    },
  })
  const problems = problemsOf(set.error)
  const past = problems['from'] === undefined ? null : t('settings.past')
  const save = (to: Parameters<typeof set.mutate>[0]): void => {
    setTried(true)
    if (timeFits) set.mutate(to)
  }
  return (
    <Form
      className="stack-4"
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        save({ kind: 'value', value })
      }}
    >
      <p>{t('settings.profileValue', { value: valueOf(name, setting.profile) })}</p>
      <SettingFields name={name} value={value} problems={problems} onChange={setValue} />
      <Choice
        label={t('settings.when')}
        options={WHEN}
        texts={(one) => t(`settings.${one}`)}
        value={when}
        onChange={setWhen}
        missing={null}
      />
      {when === 'later' && <DateTimeFields day={day} time={time} onDay={setDay} onTime={setTime} tried={tried} />}
      <p role="alert" className={styles['problem']}>
        {past}
      </p>
      <Planned setting={setting} onChanged={onChanged} />
      <div className={`wrap-3 above-3 ${styles['foot']}`}>
        <Button size="l" onPress={onClose}>
          {t('actions.back')}
        </Button>
        {(setting.differs || setting.planned.length > 0) && (
          <Button size="l" icon={<RotateCcw />} isDisabled={set.isPending} onPress={() => save({ kind: 'profile' })}>
            {t('settings.reset')}
          </Button>
        )}
        <Button size="l" look="primary" type="submit" isDisabled={set.isPending}>
          {t('settings.save')}
        </Button>
      </div>
    </Form>
  )
}

function Planned({ setting, onChanged }: Pick<SettingDialogProps, 'setting' | 'onChanged'>) {
  const { t, format } = useI18n()
  const { nameOf, valueOf } = useSettingTexts()
  const { name, change, planned, newest } = setting
  const undo = useMutation({
    mutationFn: (id: number) => storeApi.undoSetting(name, { seen: newest, id }),
    onSuccess: (list) => {
      onChanged(list)
      clearProblems()
      notify('success', (i18n) => i18n.t('settings.undone', { name: nameOf(name) }))
    },
    onError: report,
  })
  if (change === null && planned.length === 0) return null
  return (
    <ul className={`stack-2 ${styles['planned']}`}>
      {change && (
        <li className="stack-3 with-end middle box">
          <span>{t('settings.since', { time: format.dateTime(change.from), name: change.by })}</span>
          <Button icon={<Undo2 />} isDisabled={undo.isPending} onPress={() => undo.mutate(change.id)}>
            {t('settings.undo')}
          </Button>
        </li>
      )}
      {planned.map(({ id, from, value }) => (
        <li className="stack-3 with-end middle box" key={id}>
          <span>{t('settings.plannedFrom', { time: format.dateTime(from), value: valueOf(name, value) })}</span>
          <Button icon={<Undo2 />} isDisabled={undo.isPending} onPress={() => undo.mutate(id)}>
            {t('settings.callOff')}
          </Button>
        </li>
      ))}
    </ul>
  )
}

const TIME_LENGTH = 5

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
  const { t } = useI18n()
  return (
    <div className={`stack-3 start ${styles['time']}`}>
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
