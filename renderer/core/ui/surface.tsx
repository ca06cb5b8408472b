import type { ReactNode } from 'react'
import styles from './surface.module.css'

/**
 * Text of an empty list or panel. `steady` aligns it to the top, so that it does not move when the panel is resized.
 */
export function Empty({
  icon,
  title,
  text,
  steady = false,
  children,
}: {
  readonly icon: ReactNode
  readonly title: string
  readonly text: string
  readonly steady?: boolean
  readonly children?: ReactNode
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls in a low window
    <div className={styles['empty']} data-steady={steady} role="group" tabIndex={0}>
      <span className={styles['emptyIcon']} aria-hidden="true">
        {icon}
      </span>
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  )
}

export type TagTone = 'neutral' | 'ok' | 'warn' | 'danger' | 'miles' | 'training'

export function Tag({
  tone = 'neutral',
  icon,
  children,
}: {
  readonly tone?: TagTone
  readonly icon?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <span className={`${styles['tag']} ${styles[`tag-${tone}`]}`}>
      {icon && (
        <span aria-hidden="true" className={styles['tagIcon']}>
          {icon}
        </span>
      )}
      {children}
    </span>
  )
}

export function FullPage({
  icon,
  tone,
  title,
  children,
}: {
  readonly icon: ReactNode
  readonly tone: 'calm' | 'danger'
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls at 200 %
    <main tabIndex={0} className={`${styles['page']} ${tone === 'danger' ? styles['pageDanger'] : ''}`}>
      <div className={styles['pageCard']} role={tone === 'danger' ? 'alert' : 'status'}>
        <span className={styles['pageIcon']} aria-hidden="true">
          {icon}
        </span>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
