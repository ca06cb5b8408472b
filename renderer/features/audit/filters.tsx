import { X } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { FieldError, Input, Label, TextField } from 'react-aria-components'
import type { z } from 'zod'
import type { AuditFilter, AuditPage } from '../../../contracts/api/audit.ts'
import { AUDIT_GROUPS } from '../../../contracts/audit-kinds.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './audit.module.css'

export type Filter = z.input<typeof AuditFilter>

const LONGEST_SUBJECT = 80

/** Which entries are shown and exported. Every change is a list of its own. */
export function Filters({
  filter,
  people,
  onChange,
}: {
  readonly filter: Filter
  readonly people: AuditPage['people']
  readonly onChange: (filter: Filter) => void
}) {
  const { t } = useWords()
  const [cleared, setCleared] = useState(0)
  const clear = (): void => {
    setCleared(cleared + 1)
    onChange({})
  }
  const set = (name: keyof Filter, value: string): void => {
    const { [name]: _was, ...others } = filter
    onChange(value === '' ? others : { ...others, [name]: value })
  }
  return (
    <div className={styles['filters']} role="search" aria-label={t('audit.filters')}>
      <Choice label={t('audit.groupLabel')} value={filter.group ?? ''} onChange={(value) => set('group', value)}>
        <option value="">{t('audit.everything')}</option>
        {AUDIT_GROUPS.map((group) => (
          <option key={group} value={group}>
            {t(`audit.group.${group}`)}
          </option>
        ))}
      </Choice>
      <Choice label={t('audit.person')} value={filter.person ?? ''} onChange={(value) => set('person', value)}>
        <option value="">{t('audit.anyone')}</option>
        {people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Day key={`from-${cleared}`} label={t('audit.from')} onChange={(value) => set('from', value)} />
      <Day key={`to-${cleared}`} label={t('audit.to')} onChange={(value) => set('to', value)} />
      <TextField
        className={styles['field'] ?? ''}
        value={filter.subject ?? ''}
        onChange={(value) => set('subject', value.trimStart())}
      >
        <Label>{t('audit.subject')}</Label>
        <Input maxLength={LONGEST_SUBJECT} autoComplete="off" spellCheck="false" />
      </TextField>
      {Object.keys(filter).length > 0 && (
        <Button icon={<X />} onPress={clear}>
          {t('audit.clear')}
        </Button>
      )}
    </div>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function Choice({ label, value, onChange, children }: FieldProps & { readonly children: ReactNode }) {
  const id = useId()
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  )
}

const LENGTH_OF_DAY = 10
const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

/** A day of the store's calendar. Typed: the browser's own field speaks the browser's language. */
function Day({ label, onChange }: Pick<FieldProps, 'label' | 'onChange'>) {
  const { t } = useWords()
  const [text, setText] = useState('')
  const change = (next: string): void => {
    setText(next)
    onChange(isDay(next) ? next : '')
  }
  return (
    <TextField
      className={styles['field'] ?? ''}
      value={text}
      onChange={change}
      inputMode="numeric"
      isInvalid={text.length >= LENGTH_OF_DAY && !isDay(text)}
    >
      <Label>{label}</Label>
      <Input maxLength={LENGTH_OF_DAY} autoComplete="off" />
      <FieldError>{t('audit.dayInvalid')}</FieldError>
    </TextField>
  )
}
