/** The npm package pgpass has no types. */
declare module 'pgpass' {
  interface Wanted {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
  }
  /** Calls back with the password from PGPASSFILE or ~/.pgpass; undefined without one. */
  export default function pgpass(wanted: Wanted, done: (password: string | undefined) => void): void
}
