/** The package has no types of its own. */
declare module 'pgpass' {
  interface Wanted {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
  }
  /** Calls back with the password that PGPASSFILE, or ~/.pgpass, has for it; undefined: it has none. */
  export default function pgpass(wanted: Wanted, done: (password: string | undefined) => void): void
}
