import { X } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { AuditFilter, AuditPage } from '../../../contracts/api/audit.ts'
import { AUDIT_GROUPS } from '../../../contracts/audit-kinds.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField, DayField, FilterRow, WordsField } from '../../ui/filter-fields.tsx'

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
  const day = (name: 'from' | 'to') => (
    <DayField key={`${name}-${cleared}`} label={t(`audit.${name}`)} onChange={(value) => set(name, value ?? '')} />
  )
  return (
    <FilterRow label={t('audit.filters')}>
      <ChoiceField label={t('audit.groupLabel')} value={filter.group ?? ''} onChange={(value) => set('group', value)}>
        <option value="">{t('audit.everything')}</option>
        {AUDIT_GROUPS.map((group) => (
          <option key={group} value={group}>
            {t(`audit.group.${group}`)}
          </option>
        ))}
      </ChoiceField>
      <ChoiceField label={t('audit.person')} value={filter.person ?? ''} onChange={(value) => set('person', value)}>
        <option value="">{t('audit.anyone')}</option>
        {people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </ChoiceField>
      {day('from')}
      {day('to')}
      <WordsField
        label={t('audit.subject')}
        value={filter.subject ?? ''}
        longest={LONGEST_SUBJECT}
        onChange={(value) => set('subject', value)}
      />
      {Object.keys(filter).length > 0 && (
        <Button icon={<X />} onPress={clear}>
          {t('audit.clear')}
        </Button>
      )}
    </FilterRow>
  )
}
