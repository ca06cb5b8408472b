import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheckBig, CircleMinus, CircleX, LoaderCircle, Stethoscope, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import type {
  CheckedSection,
  LaneCheck,
  LaneFinding,
  LastLaneCheck,
} from '../../../contracts/operations/lane-check-page.ts'
import { storeApi } from '../../core/api/store-api.ts'
import type { Translate } from '../../core/i18n/message-key.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead } from '../../core/ui/page.tsx'
import { Empty, Tag, type TagTone } from '../../core/ui/surface.tsx'
import styles from './lane-check.module.css'
import { useLocale } from 'use-intl'
import { isOfInstaller, isToDo } from '../../../contracts/operations/lane-check.ts'
import checkStyles from '../../core/ui/checks.module.css'

export function LaneCheckPage() {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const news = useEvents((state) => state.laneCheckCount)
  const last = useQuery({ queryKey: ['lane-check'], queryFn: storeApi.laneCheck })
  const { refetch } = last
  useEffect(() => {
    void refetch()
  }, [news, refetch])
  const start = useMutation({
    mutationFn: storeApi.checkLane,
    onSuccess: (begun) => {
      queries.setQueryData<LastLaneCheck>(['lane-check'], begun)
      void refetch()
    },
  })
  const check = last.data?.check ?? null
  const running = start.isPending || (check !== null && check.endedAt === null)
  return (
    <>
      <PageHead title={t('laneCheck.title')} intro={t('laneCheck.intro')}>
        <Button look="primary" size="l" icon={<Stethoscope />} isDisabled={running} onPress={() => start.mutate()}>
          {t(running ? 'laneCheck.running' : 'laneCheck.run')}
        </Button>
      </PageHead>
      {start.isError && <LoadFailed error={start.error} retry={() => start.mutate()} />}
      {last.isError && <LoadFailed error={last.error} retry={() => void refetch()} />}
      {last.isPending && <p role="status">{t('app.loading')}</p>}
      {last.isSuccess && (
        // One live region for progress and outcome; it must exist before its first announcement.
        <p role="status" className={`weight-650 below-3 ${styles['sum']}`}>
          {check !== null && sumOf(t, check)}
          {check !== null &&
            check.endedAt !== null &&
            ` ${t('laneCheck.checkedAt', { time: format.dateTime(check.endedAt) })}`}
        </p>
      )}
      {last.isSuccess && check === null && (
        <Empty icon={<Stethoscope />} title={t('laneCheck.notRun')} text={t('laneCheck.notRunHelp')} />
      )}
      {check && <CheckedSections check={check} />}
    </>
  )
}

function sumOf(t: Translate, { parts: sections, endedAt }: LaneCheck): string {
  const count = (...states: readonly LaneCheck['parts'][number]['state'][]): number =>
    sections.filter(({ state }) => states.includes(state)).length
  return endedAt === null
    ? t('laneCheck.progress', { done: sections.length - count('running'), all: sections.length })
    : t('laneCheck.ended', { wrong: count('wrong'), attention: count('attention') })
}

const MARKS = {
  running: { tone: 'neutral', icon: <LoaderCircle className="spin" /> },
  ok: { tone: 'ok', icon: <CircleCheckBig /> },
  attention: { tone: 'warn', icon: <TriangleAlert /> },
  wrong: { tone: 'danger', icon: <CircleX /> },
  unseen: { tone: 'neutral', icon: <CircleMinus /> },
} as const satisfies Record<CheckedSection['state'], { tone: TagTone; icon: unknown }>

const URGENCY = ['wrong', 'attention', 'running', 'unseen', 'ok'] as const satisfies readonly CheckedSection['state'][]

/** Lists the checked sections: in the order of the check while it runs, then those with problems first. */
export function CheckedSections({ check }: { readonly check: LaneCheck }) {
  const { t } = useI18n()
  const sections =
    check.endedAt === null
      ? check.parts
      : check.parts.toSorted((one, other) => URGENCY.indexOf(one.state) - URGENCY.indexOf(other.state))
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also while the button is disabled
    <div role="group" tabIndex={0} aria-label={t('laneCheck.title')}>
      <ul className={`stack-2 flush pad-0 ${checkStyles['list']}`}>
        {sections.map((section) => (
          <Section key={section.check} section={section} />
        ))}
      </ul>
    </div>
  )
}

function Section({ section: { check, state, findings } }: { readonly section: CheckedSection }) {
  const { t } = useI18n()
  const { tone, icon } = MARKS[state]
  return (
    <li className={`grid start box pad-3-4 ${checkStyles['row']} ${styles['section']}`} data-tone={tone}>
      <h3 className="flush text-m">{t(`laneCheck.check.${check}`)}</h3>
      <div>
        <Tag tone={tone} icon={icon}>
          {t(`laneCheck.state.${state}`)}
        </Tag>
      </div>
      <ul className={`stack-2 flush pad-0 ${styles['findings']}`}>
        {findings.map((finding, index) => (
          // An index is a safe key, because the findings of a section never change their order.
          <Finding key={index} finding={finding} />
        ))}
      </ul>
    </li>
  )
}

function Finding({ finding: { code, values } }: { readonly finding: LaneFinding }) {
  const { t } = useI18n()
  const locale = useLocale()
  const formatted = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? value[locale] : value]),
  )
  return (
    <li className="selectable">
      {t(`laneCheck.found.${code}`, formatted)}
      {isToDo(code) && (
        <strong className="block">
          {t('laneCheck.todo', {
            todo: isOfInstaller(code) ? t('laneCheck.askInstaller') : t(`laneCheck.todoFor.${code}`, formatted),
          })}
        </strong>
      )}
    </li>
  )
}
