import type { ReactNode } from 'react'
import styles from './day-end.module.css'

/** One part of the report, under its name. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={styles['part']} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}

export interface Figure {
  readonly label: string
  readonly value: string
  readonly strong?: boolean
}

/** Names on the left, figures below each other on the right. */
export function Figures({ rows }: { readonly rows: readonly Figure[] }) {
  return (
    <dl className={`${styles['figures']} figures`}>
      {rows.map(({ label, value, strong }, index) => (
        <div key={index} data-strong={strong}>
          <dt>{label}</dt>
          <dd className="selectable">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The same with several columns of amounts. */
export function Amounts({
  label,
  columns,
  rows,
}: {
  readonly label: string
  readonly columns: readonly string[]
  readonly rows: readonly { readonly name: string; readonly amounts: readonly string[] }[]
}) {
  return (
    <table className={`${styles['amounts']} figures`}>
      <thead>
        <tr>
          <th scope="col">
            <span className="spoken">{label}</span>
          </th>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, amounts }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {amounts.map((amount, index) => (
              <td key={index}>{amount}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
