import { ChartColumn } from 'lucide-react'
import { useState } from 'react'
import type { ReportRange as Range } from '../../../contracts/api/reports.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { DayField, FilterRow } from '../../ui/filter-fields.tsx'
import { Views } from '../../ui/views.tsx'
import { RANGES, rangeOf, type RangeName } from './report-figures.ts'

const LONGEST_MS = 366 * 86_400_000
const isRange = ({ from, to }: { readonly from: string | null; readonly to: string | null }): boolean =>
  from !== null && to !== null && from <= to && Date.parse(to) - Date.parse(from) < LONGEST_MS

/** Days that are read at one touch, or typed. */
export function ReportRange({ today, onShow }: { readonly today: string; readonly onShow: (range: Range) => void }) {
  const { t } = useWords()
  const [chosen, setChosen] = useState<RangeName | null>('today')
  const [typed, setTyped] = useState<{ readonly from: string | null; readonly to: string | null }>({
    from: today,
    to: today,
  })
  const day = (name: 'from' | 'to') => (
    <DayField
      key={`${name}-${chosen}`}
      begin={typed[name] ?? ''}
      label={t(`reports.${name}`)}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
    />
  )
  const complete = typed.from !== null && typed.to !== null
  return (
    <>
      <Views
        label={t('reports.range')}
        views={RANGES}
        words={(name) => t(`reports.ranges.${name}`)}
        view={chosen}
        onChange={(name) => {
          const range = rangeOf(name, today)
          setChosen(name)
          setTyped(range)
          onShow(range)
        }}
      />
      <FilterRow label={t('reports.range')}>
        {day('from')}
        {day('to')}
        <Button
          look="primary"
          icon={<ChartColumn />}
          isDisabled={!isRange(typed)}
          onPress={() => {
            const { from, to } = typed
            if (from !== null && to !== null) onShow({ from, to })
          }}
        >
          {t('reports.run')}
        </Button>
      </FilterRow>
      {complete && !isRange(typed) && <p role="alert">{t('reports.rangeInvalid')}</p>}
    </>
  )
}
