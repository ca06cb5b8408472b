import type { ReactNode } from 'react'
import { ApiProblem } from '../api/problem.ts'
import { useWords } from '../i18n/words.tsx'
import { problemSaying, referenceOf } from '../state/notices.ts'
import { Button } from './button.tsx'
import styles from './page.module.css'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'

export function PageHead({
  title,
  intro,
  children,
}: {
  readonly title: string
  readonly intro: string
  readonly children?: ReactNode
}) {
  return (
    <header className={styles['head']}>
      <div>
        <h2>{title}</h2>
        <p>{intro}</p>
      </div>
      {children}
    </header>
  )
}

/** A list that could not be loaded: why, and the way to try again. */
export function LoadFailed({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const words = useWords()
  const reference = error instanceof ApiProblem ? referenceOf(error) : null
  return (
    <div className={styles['failed']} role="alert">
      <p>{error instanceof ApiProblem ? problemSaying(error)(words) : words.t('store.failed')}</p>
      {reference !== null && <p>{words.t('app.reference', { id: reference })}</p>}
      <Button onPress={retry}>{words.t('app.tryAgain')}</Button>
    </div>
  )
}

export const pageStyles = styles

/** What holds a table: where the table is wider than its place it scrolls, by the keyboard too. */
export function TableWrap({ children }: { readonly children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a wide table scrolls
    <div className={styles['tableWrap']} role="group" tabIndex={0}>
      {children}
    </div>
  )
}

/** The views of one page, of which one is shown; null: none of them as it is. */
export function Views<View extends string>({
  label,
  views,
  words,
  view,
  onChange,
}: {
  readonly label: string
  readonly views: readonly View[]
  readonly words: (view: View) => string
  readonly view: View | null
  readonly onChange: (view: View) => void
}) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      disallowEmptySelection
      selectedKeys={view === null ? [] : [view]}
      className="inline wraps below-4 segments"
      onSelectionChange={([next]) => {
        const chosen = views.find((known) => known === next)
        if (chosen) onChange(chosen)
      }}
    >
      {views.map((one) => (
        <ToggleButton key={one} id={one}>
          {words(one)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}
