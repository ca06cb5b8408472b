import { CircleCheckBig, CircleMinus, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react'
import { useLocale } from 'use-intl'
import type { CheckedPart, LaneCheck, LaneFinding } from '../../../contracts/api/lane-check.ts'
import { isOfInstaller, isToDo } from '../../../contracts/lane-check.ts'
import { useWords } from '../../i18n/words.tsx'
import checkStyles from '../../ui/checks.module.css'
import { Tag, type TagTone } from '../../ui/surface.tsx'
import styles from './lane-check.module.css'

const MARKS = {
  running: { tone: 'neutral', icon: <LoaderCircle className="turning" /> },
  ok: { tone: 'ok', icon: <CircleCheckBig /> },
  attention: { tone: 'warn', icon: <TriangleAlert /> },
  wrong: { tone: 'danger', icon: <CircleX /> },
  unseen: { tone: 'neutral', icon: <CircleMinus /> },
} as const satisfies Record<CheckedPart['state'], { tone: TagTone; icon: unknown }>

const URGENCY = ['wrong', 'attention', 'running', 'unseen', 'ok'] as const satisfies readonly CheckedPart['state'][]

/** Every part of the lane: while they are looked at in their order, then what is to be seen to before the rest. */
export function CheckedParts({ check }: { readonly check: LaneCheck }) {
  const { t } = useWords()
  const parts =
    check.endedAt === null
      ? check.parts
      : check.parts.toSorted((one, other) => URGENCY.indexOf(one.state) - URGENCY.indexOf(other.state))
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls while the button rests
    <div role="group" tabIndex={0} aria-label={t('laneCheck.title')}>
      <ul className={checkStyles['list']}>
        {parts.map((part) => (
          <Part key={part.check} part={part} />
        ))}
      </ul>
    </div>
  )
}

function Part({ part: { check, state, findings } }: { readonly part: CheckedPart }) {
  const { t } = useWords()
  const { tone, icon } = MARKS[state]
  return (
    <li className={`${checkStyles['row']} ${styles['part']}`} data-tone={tone}>
      <h3>{t(`laneCheck.check.${check}`)}</h3>
      <div>
        <Tag tone={tone} icon={icon}>
          {t(`laneCheck.state.${state}`)}
        </Tag>
      </div>
      <ul className={styles['findings']}>
        {findings.map((finding, index) => (
          // Findings of one part never change their order.
          <Finding key={index} finding={finding} />
        ))}
      </ul>
    </li>
  )
}

function Finding({ finding: { code, values } }: { readonly finding: LaneFinding }) {
  const { t } = useWords()
  const locale = useLocale()
  const spoken = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? value[locale] : value]),
  )
  return (
    <li className="selectable">
      {t(`laneCheck.found.${code}`, spoken)}
      {isToDo(code) && (
        <strong>
          {t('laneCheck.todo', {
            todo: isOfInstaller(code) ? t('laneCheck.askInstaller') : t(`laneCheck.todoFor.${code}`, spoken),
          })}
        </strong>
      )}
    </li>
  )
}
