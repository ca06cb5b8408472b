import { ArrowDown, ArrowUp, Equal } from 'lucide-react'
import type { Change } from './report-figures.ts'
import styles from './reports.module.css'

const ICONS = { up: <ArrowUp />, down: <ArrowDown />, same: <Equal /> } as const

/** How it has changed since a week earlier: more is not always better, so that no colour judges it. */
export function ChangeText({ way, text }: Change) {
  return (
    <span className={styles['change']}>
      <span aria-hidden="true">{ICONS[way]}</span>
      {text}
    </span>
  )
}
