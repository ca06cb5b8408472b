import type { ReactNode } from 'react'
import { ApiProblem } from '../api/problem.ts'
import { useI18n } from '../i18n/i18n.ts'
import { problemText, referenceOf } from '../state/notices.ts'
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

export function LoadFailed({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const i18n = useI18n()
  const reference = error instanceof ApiProblem ? referenceOf(error) : null
  return (
    <div className={styles['failed']} role="alert">
      <p>{error instanceof ApiProblem ? problemText(error)(i18n) : i18n.t('app.failed')}</p>
      {reference !== null && <p>{i18n.t('app.reference', { id: reference })}</p>}
      <Button onPress={retry}>{i18n.t('app.tryAgain')}</Button>
    </div>
  )
}

export const pageStyles = styles

export function TableWrap({ children }: { readonly children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a wide table scrolls
    <div className={styles['tableWrap']} role="group" tabIndex={0}>
      {children}
    </div>
  )
}

export function Views<View extends string>({
  label,
  views,
  texts,
  view,
  onChange,
}: {
  readonly label: string
  readonly views: readonly View[]
  readonly texts: (view: View) => string
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
          {texts(one)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}
