/** An answer of the fixture's terminal. */
export const ok = <Body>(body: Body): { readonly status: 200; readonly body: Body } => ({ status: 200, body })
