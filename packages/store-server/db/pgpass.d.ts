/** The npm package pgpass has no types. */
declare module 'pgpass' {
  interface Wanted {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
  }
  export default function pgpass(wanted: Wanted, done: (password: string | undefined) => void): void
}
