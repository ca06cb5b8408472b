import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'

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
