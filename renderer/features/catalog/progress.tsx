import { Label, ProgressBar } from 'react-aria-components'
import styles from './catalog.module.css'

/** How far something is; without `percent` nobody knows. */
export function Progress({ label, percent }: { readonly label: string; readonly percent?: number }) {
  return (
    <ProgressBar
      {...(percent === undefined ? { isIndeterminate: true } : { value: percent })}
      className={styles['progress'] ?? ''}
    >
      {({ percentage, valueText }) => (
        <>
          <Label>{label}</Label>
          <span className="figures">{valueText}</span>
          <progress aria-hidden="true" max={100} {...(percentage === undefined ? {} : { value: percentage })} />
        </>
      )}
    </ProgressBar>
  )
}
